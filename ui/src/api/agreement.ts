// SPDX-License-Identifier: Apache-2.0

// How far two givers of verdicts agree.

import { api } from "../place";
import { ask } from "../session";

export type Agreeing = {
  spans: number;
  categories: string[];
  /** Rows are what a said, columns what b said. */
  confusion: number[][];
  /** null without spans. */
  accuracy: number | null;
  /** null where it is not defined. */
  kappa: { value: number; low: number; high: number } | null;
};

export type Judge = { version: string; model: string };

export type Agreement = Agreeing & {
  groups: (Agreeing & { a?: Judge; b?: Judge; keys?: string[]; rest?: boolean })[];
  differ: { trace_id: string; span_id: string; timestamp: number; span_name: string; a: string; b: string }[];
  truncated: boolean;
};

/** Whose verdict, <evaluator>.<output>, of one setup where it is named, and which of its values count as true: those from a number on, or some, with commas between them. */
export type Side = { metric: string; by?: string; min?: string | undefined; true?: string | undefined };

export function readAgreement(environment: string, a: Side, b: Side, of: { from: number; to: number | undefined; by: readonly string[] }, signal: AbortSignal): Promise<Agreement> {
  const params = new URLSearchParams({ from_timestamp_sec: String(of.from), limit: "20" });
  if (of.to !== undefined) params.set("to_timestamp_sec", String(of.to));
  for (const [name, side] of [["a", a], ["b", b]] as const) {
    params.set(name, side.metric);
    if (side.by) params.set(name + "_by", side.by);
    if (side.min) params.set(name + "_min", side.min);
    else if (side.true) params.set(name + "_true", side.true);
  }
  for (const field of of.by) params.append("group_by", field);
  return ask<Agreement>(`${api}/agreement?${params.toString()}`, { environment, signal });
}
