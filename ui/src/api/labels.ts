// SPDX-License-Identifier: Apache-2.0

// What people say of results.

import { api } from "../place";
import { ask } from "../session";
import type { Filter } from "./spans";

/** What a person says of a result: whether the span passes by this evaluator. */
export type Opinion = { evaluator: string; passes: boolean; author: string; comment: string };

/** The evaluator of what people say of the results of another. */
export const peopleOf = (evaluator: string) => "human:" + evaluator;

/** Stores an opinion. A later one of the same author takes the place of an earlier one. */
export const giveOpinion = (environment: string, of: { trace_id: string; span_id: string }, o: Opinion) =>
  ask<unknown>(`${api}/warehouse/spans/${encodeURIComponent(of.trace_id)}/${encodeURIComponent(of.span_id)}/labels`, {
    method: "POST",
    environment,
    body: { name: o.evaluator, value: o.passes, author: o.author, ...(o.comment === "" ? {} : { comment: o.comment }) },
  });

/** A span that was drawn to be reviewed. */
export type Drawn = { trace_id: string; span_id: string };

export type Draw = { metric: string; share: number; from: number; to: number | undefined; filters: readonly Filter[]; without: string };

const mostDrawn = 200;

/** Draws spans to review: all that a result is against, and of the others a share. */
export function drawSpans(environment: string, of: Draw, signal: AbortSignal) {
  const params = new URLSearchParams({ metric: of.metric, share: String(of.share), from_timestamp_sec: String(of.from), limit: String(mostDrawn) });
  if (of.to !== undefined) params.set("to_timestamp_sec", String(of.to));
  if (of.filters.length > 0) params.set("filters", JSON.stringify(of.filters));
  if (of.without !== "") params.set("without", of.without);
  return ask<{ spans: Drawn[]; looked: { failures: number; passes: number }; next_cursor: string }>(`${api}/labels/draw?${params}`, { environment, signal });
}
