// SPDX-License-Identifier: Apache-2.0

import { mayChange } from "../session";
import { NoForm } from "../shell/changes";
import { texts } from "../texts";
import { link, place } from "../url";
import { Detail } from "./detail";
import { Edit, New } from "./form";
import { List } from "./list";
import "./alerts.css";

const t = texts.alerts;

/** Alerts: what is watched every minute, what it is at, and what was sent. */
export function AlertsScreen(props: { environment: string }) {
  const [, name, what] = place.value.path;
  if (name === undefined) return <List environment={props.environment} />;
  const makes = name === "new" && what === undefined;
  if ((makes || what === "edit") && !mayChange.value) return <NoForm title={makes ? t.add : t.edit} back={link(["alerts"])} backTo={t.title} />;
  if (makes) return <New key={JSON.stringify(place.value.params)} environment={props.environment} />;
  if (what === "edit") return <Edit key={name} environment={props.environment} name={name} />;
  return <Detail key={name} environment={props.environment} name={name} />;
}
