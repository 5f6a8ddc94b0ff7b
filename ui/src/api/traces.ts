// SPDX-License-Identifier: Apache-2.0

// Traces and single spans.

import { api } from "../place";
import { ask } from "../session";
import type { Verdict } from "./verdicts";

export type VerdictCounts = Record<"for" | "against" | "neither" | "uncertain" | "owed" | "skipped" | "failed", number[]>;

type Dictionary = "name" | "service" | "kind" | "type" | "status" | "model";

/** A trace by columns: the n-th entries are of the n-th span by start. */
export type Trace = {
  trace_id: string;
  total: number;
  truncated: boolean;
  start_ns: string;
  duration_ns: string;
  dictionaries: Record<Dictionary, string[]>;
  columns: Record<Dictionary, number[]> & {
    span_id: string[];
    /** Place of the span above, -1 for a root, -2 where it is not there. */
    parent: number[];
    offset_ns: number[];
    duration_ns: number[];
    tokens: (number | null)[];
    verdicts: VerdictCounts;
  };
};

type Attributes = Readonly<Record<string, string>>;

export type FullSpan = {
  trace_id: string;
  span_id: string;
  parent_span_id: string;
  trace_state: string;
  span_name: string;
  span_kind: string;
  span_type: string;
  service_name: string;
  scope_name: string;
  scope_version: string;
  status_code: string;
  status_message: string;
  start_ns: string;
  duration_ns: string;
  arrived_ns: string;
  resource_attributes: Attributes;
  span_attributes: Attributes;
  prompts: Attributes;
  completions: Attributes;
  input: string;
  output: string;
  /** The tools that the call may use, a JSON list as text, "" where the span has none. */
  tool_definitions: string;
  workflow: string;
  entity: string;
  conversation_id: string;
  session_id: string;
  user_id: string;
  events: { name: string; time_ns: string; attributes: Attributes }[];
  links: { trace_id: string; span_id: string; trace_state: string; attributes: Attributes }[];
  verdicts: Verdict[];
  /** Bytes of the whole text, by where it stands, of those that were cut. */
  cut_texts: Readonly<Record<string, number>>;
};

/** Characters of each text that a span is read with. */
const maxText = 100_000;

const around = 86_400; // seconds before and after a known time in which a trace is looked for

/** Reads a trace; at is a Unix time in seconds near it, which bounds what is searched. */
export function readTrace(environment: string, id: string, at: number | undefined, signal: AbortSignal): Promise<Trace> {
  const bounds = at === undefined ? "" : `?from_timestamp_sec=${at - around}&to_timestamp_sec=${at + around}`;
  return ask<Trace>(`${api}/traces/${encodeURIComponent(id)}${bounds}`, { environment, signal });
}

const pathOf = (trace: string, span: string) => `${api}/warehouse/spans/${encodeURIComponent(trace)}/${encodeURIComponent(span)}`;

export const readSpan = (environment: string, trace: string, span: string, signal: AbortSignal) =>
  ask<FullSpan>(`${pathOf(trace, span)}?max_text=${maxText}`, { environment, signal });

/** Reads one text of a span as it is stored. */
export const readText = (environment: string, trace: string, span: string, field: string) =>
  ask<string>(`${pathOf(trace, span)}/text?field=${encodeURIComponent(field)}`, { environment, plain: true });
