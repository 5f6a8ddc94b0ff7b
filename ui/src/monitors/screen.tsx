// SPDX-License-Identifier: Apache-2.0

import { place } from "../url";
import { Detail } from "./detail";
import { Edit, New } from "./form";
import { List } from "./list";
import "./monitors.css";

/** Monitors: which spans are judged, by what, and what came of it. */
export function MonitorsScreen(props: { environment: string }) {
  const [, name, what] = place.value.path;
  if (name === undefined) return <List environment={props.environment} />;
  if (name === "new" && what === undefined) return <New environment={props.environment} />;
  if (what === "edit") return <Edit key={name} environment={props.environment} name={name} />;
  return <Detail key={name} environment={props.environment} name={name} />;
}
