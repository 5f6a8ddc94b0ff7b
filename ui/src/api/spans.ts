// SPDX-License-Identifier: Apache-2.0

// Stored spans.

import { api } from "../place";
import { ask } from "../session";

export const operators = [
  "equals", "not_equals", "contains", "starts_with", "greater_than", "greater_than_or_equal", "less_than", "less_than_or_equal",
  "in", "not_in", "exists", "not_exists",
] as const;
export type Operator = (typeof operators)[number];

export type Filter = { id: string; operator: Operator; value?: string | number | boolean | readonly (string | number | boolean)[] };

export type Span = {
  timestamp: number;
  trace_id: string;
  span_id: string;
  span_name: string;
  service_name: string;
  span_attributes: Record<string, string>;
  duration: number;
  status_code: string;
  output: string;
};

export type SpanPage = { spans: { data: Span[]; page_size: number; total_results: number; next_cursor: string } };

export type SpanQuery = {
  /** Unix seconds. */
  from: number;
  to: number | undefined;
  filters: readonly Filter[];
  order: "ASC" | "DESC";
};

/** Reads a page of spans by their start; cursor is "" for the first. */
export function readSpans(environment: string, q: SpanQuery, cursor: string, signal: AbortSignal): Promise<SpanPage> {
  const params = new URLSearchParams({ from_timestamp_sec: String(q.from), sort_by: "timestamp", sort_order: q.order, limit: "50" });
  if (q.to !== undefined) params.set("to_timestamp_sec", String(q.to));
  if (q.filters.length > 0) params.set("filters", JSON.stringify(q.filters));
  if (cursor !== "") params.set("cursor", cursor);
  return ask<SpanPage>(`${api}/warehouse/spans?${params.toString()}`, { environment, signal });
}
