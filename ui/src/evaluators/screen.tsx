// SPDX-License-Identifier: Apache-2.0

import { mayChange } from "../session";
import { NoForm } from "../shell/changes";
import { texts } from "../texts";
import { link, place } from "../url";
import { Edit, New } from "./edit";
import { List } from "./list";
import { Try } from "./try";
import "./evaluators.css";

const t = texts.evaluators;

/** Evaluators: what there is, trying one on texts or on a stored span, and writing one of one's own. */
export function EvaluatorsScreen(props: { environment: string }) {
  const [, slug, part] = place.value.path;
  if ((slug === "new" || part === "edit") && !mayChange.value) return <NoForm title={slug === "new" ? t.own.add : texts.monitors.edit} back={link(["evaluators"])} backTo={t.title} />;
  if (slug === "new") return <New environment={props.environment} />;
  if (slug !== undefined && part === "edit") return <Edit key={slug} environment={props.environment} slug={slug} />;
  return slug === undefined ? <List environment={props.environment} /> : <Try key={slug} environment={props.environment} slug={slug} />;
}
