// SPDX-License-Identifier: Apache-2.0

import { place } from "../url";
import { List } from "./list";
import { Try } from "./try";
import "./evaluators.css";

/** Evaluators: what there is, and trying one on texts or on a stored span. */
export function EvaluatorsScreen(props: { environment: string }) {
  const slug = place.value.path[1];
  return slug === undefined ? <List environment={props.environment} /> : <Try key={slug} environment={props.environment} slug={slug} />;
}
