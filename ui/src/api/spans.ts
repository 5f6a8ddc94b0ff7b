// SPDX-License-Identifier: Apache-2.0

// Stored spans.

import { api } from "../place";
import { ask } from "../session";
import { curlOf } from "./curl";
import type { Verdict } from "./verdicts";

export const operators = [
  "equals", "not_equals", "contains", "starts_with", "greater_than", "greater_than_or_equal", "less_than", "less_than_or_equal",
  "in", "not_in", "exists", "not_exists",
] as const;
export type Operator = (typeof operators)[number];

export type Filter = { id: string; operator: Operator; value?: string | number | boolean | readonly (string | number | boolean)[] };

const sorts = ["timestamp", "duration", "total_tokens"] as const;

/** What a list is sorted by: one of these, or an output of an evaluator. */
export type Sort = (typeof sorts)[number] | `evaluation.${string}`;
export const isOutput = (id: string): id is `evaluation.${string}` => /^evaluation\..+\../.test(id);
export const isSort = (id: string): id is Sort => sorts.some((s) => s === id) || isOutput(id);

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

/** What a span was asked and what it answered, "" where it does not say. */
export const questionOf = (row: Row) => row.preview.question || row.preview.input;
export const answerOf = (row: Row) => row.preview.answer || row.preview.output;

export type RowPage = {
  rows: Row[];
  total_results?: number;
  next_cursor: string;
  /** Whether the search ended at a bound: there may be more than total_results. */
  partial?: boolean;
};

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

/** Reads a page of spans in short; cursor is "" for the first. Pages that are not counted have no total_results. Where a search ended at a bound before it found any, it goes on. */
export async function readSpans(environment: string, q: SpanQuery, cursor: string, signal: AbortSignal, limit = pageSize, total = true): Promise<RowPage> {
  for (;;) {
    const page = await ask<RowPage>(`${api}/warehouse/spans/search`, { method: "POST", body: { ...searchOf(q, limit), ...(cursor === "" ? {} : { cursor }), total }, environment, signal });
    if (page.rows.length > 0 || page.next_cursor === "") return page;
    cursor = page.next_cursor;
  }
}

export type Tail = { rows: Row[]; next_cursor: string; more: boolean };

/** Waits for spans that arrive behind a cursor; with "" it says where to begin. */
export function tailSpans(environment: string, filters: readonly Filter[], fields: readonly string[], cursor: string, skip: boolean, signal: AbortSignal): Promise<Tail> {
  const params = new URLSearchParams({ filters: JSON.stringify(filters), preview: String(preview) });
  for (const field of fields) params.append("fields", field);
  if (cursor !== "") params.set("cursor", cursor);
  if (skip) params.set("skip", "true");
  return ask<Tail>(`${api}/warehouse/spans/tail?${params}`, { environment, signal });
}

export type Field = { id: string; source: string; type: "text" | "number"; spans: number };

/** Reads the fields that spans of a period have, those of most spans first. */
export const readFields = (environment: string, from: number, signal: AbortSignal) =>
  ask<{ fields: Field[] }>(`${api}/warehouse/fields?from_timestamp_sec=${from}`, { environment, signal });

/** The filters that a line means, such as status:error model:gpt-4o, and the fields of it that no recent span has. */
export type Line = { filters: Filter[]; unknown: { field: string; did_you_mean?: string }[] };

export const readLine = (environment: string, line: string, from: number) =>
  ask<Line>(`${api}/warehouse/filters?${new URLSearchParams({ q: line, from_timestamp_sec: String(from) })}`, { environment });

/** The body of a search. */
const searchOf = (q: SpanQuery, limit: number) => ({
  from_timestamp_sec: q.from,
  ...(q.to === undefined ? {} : { to_timestamp_sec: q.to }),
  filters: q.filters,
  sort_by: q.sort,
  sort_order: q.order,
  limit,
  fields: q.fields,
  preview,
});

/** Reads all spans of a query as comma-separated values, and hears each part of it. */
export function readCSV(environment: string, q: SpanQuery, signal: AbortSignal, onPart: (part: Uint8Array) => void): Promise<Blob> {
  const { limit: _, preview: __, ...body } = searchOf(q, 0);
  return ask<Blob>(`${api}/warehouse/spans/export`, { method: "POST", environment, signal, body, onPart });
}

/** A command that asks for the first page of what is looked for. */
export const searchCurl = (q: SpanQuery) => curlOf("POST", `${api}/warehouse/spans/search`, searchOf(q, pageSize));

/** Where a page of spans in full begins and what comes after it. */
type FullPage = { spans: { data: unknown[]; total_results: number; next_cursor: string } };

/** Reads a page of spans in full. */
export async function readFullSpans(environment: string, q: SpanQuery, cursor: string, signal: AbortSignal, limit: number): Promise<{ rows: unknown[]; total_results: number; next_cursor: string }> {
  const params = new URLSearchParams({ from_timestamp_sec: String(q.from), filters: JSON.stringify(q.filters), sort_by: q.sort, sort_order: q.order, limit: String(limit) });
  if (q.to !== undefined) params.set("to_timestamp_sec", String(q.to));
  if (cursor !== "") params.set("cursor", cursor);
  const { spans } = await ask<FullPage>(`${api}/warehouse/spans?${params}`, { environment, signal });
  return { rows: spans.data, total_results: spans.total_results, next_cursor: spans.next_cursor };
}

/** Reads the spans of a trace in full, page by page, and tells each time how many there are by now. */
export async function readWhole(environment: string, trace: string, signal: AbortSignal, tell: (have: number) => void): Promise<unknown[]> {
  const query: SpanQuery = { from: 0, to: undefined, filters: [{ id: "trace_id", operator: "equals", value: trace }], sort: "timestamp", order: "ASC", fields: [] };
  const list: unknown[] = [];
  for (let cursor = ""; ; ) {
    const page = await readFullSpans(environment, query, cursor, signal, 200);
    list.push(...page.rows);
    tell(list.length);
    cursor = page.next_cursor;
    if (cursor === "") return list;
  }
}
