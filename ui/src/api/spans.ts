// SPDX-License-Identifier: Apache-2.0

// Stored spans.

import { api } from "../place";
import { ask } from "../session";
import type { Verdict } from "./verdicts";

export const operators = [
  "equals", "not_equals", "contains", "starts_with", "greater_than", "greater_than_or_equal", "less_than", "less_than_or_equal",
  "in", "not_in", "exists", "not_exists",
] as const;
export type Operator = (typeof operators)[number];

export type Filter = { id: string; operator: Operator; value?: string | number | boolean | readonly (string | number | boolean)[] };

export const sorts = ["timestamp", "duration", "total_tokens"] as const;
export type Sort = (typeof sorts)[number];

/** A span in short. */
export type Row = {
  trace_id: string;
  span_id: string;
  start_ns: string;
  duration_ns: string;
  name: string;
  type: string;
  service: string;
  status: string;
  model: string;
  tokens: number | null;
  /** Of the fields that were asked for those that the span has. */
  fields: Readonly<Record<string, string>>;
  preview: { input: string; output: string; question: string; answer: string };
  verdicts: Verdict[];
};

export type RowPage = { rows: Row[]; total_results: number; next_cursor: string };

export type SpanQuery = {
  /** Unix seconds. */
  from: number;
  to: number | undefined;
  filters: readonly Filter[];
  sort: Sort;
  order: "ASC" | "DESC";
  fields: readonly string[];
};

/** Rows of a page. */
export const pageSize = 100;

/** Characters of what was said that a row comes with. */
const preview = 300;

/** Reads a page of spans in short; cursor is "" for the first. */
export function readSpans(environment: string, q: SpanQuery, cursor: string, signal: AbortSignal): Promise<RowPage> {
  const body = {
    from_timestamp_sec: q.from,
    ...(q.to === undefined ? {} : { to_timestamp_sec: q.to }),
    filters: q.filters,
    sort_by: q.sort,
    sort_order: q.order,
    limit: pageSize,
    ...(cursor === "" ? {} : { cursor }),
    fields: q.fields,
    preview,
  };
  return ask<RowPage>(`${api}/warehouse/spans/search`, { method: "POST", body, environment, signal });
}
