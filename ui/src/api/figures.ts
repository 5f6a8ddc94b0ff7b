// SPDX-License-Identifier: Apache-2.0

// Figures of spans, of verdicts and of evaluations.

import { api } from "../place";
import { ask } from "../session";
import type { Filter } from "./spans";

export type Numbers = Readonly<Record<string, number | null>>;
export type Series = Readonly<Record<string, readonly (number | null)[]>>;

export type Part = { total: Numbers; series?: Series };
export type Group = Part & { keys: string[] };

export type Figures = Part & {
  step_sec: number;
  /** When the steps begin, in Unix seconds. */
  times: number[];
  groups: Group[];
  other?: Part;
  group_count: number;
  bins?: { from: number; to: number; count: number }[];
};

/** A measure of all groups together, step by step. */
export const summed = (of: Figures, measure: string): number[] =>
  of.times.map((_, i) => of.groups.reduce((sum, g) => sum + (g.series?.[measure]?.[i] ?? 0), of.other?.series?.[measure]?.[i] ?? 0));

export type Figured = {
  from: number;
  to: number | undefined;
  filters?: readonly Filter[];
  /** More conditions, as a line. */
  q?: string;
  step?: number;
  by?: readonly string[];
  measures: readonly string[];
  top?: number;
  evaluator?: string;
  output?: string;
  setup?: string;
  status?: string;
  bins?: number;
};

function read(path: string, environment: string, of: Figured, signal: AbortSignal): Promise<Figures> {
  const body = {
    from_timestamp_sec: of.from, to_timestamp_sec: of.to, filters: of.filters, q: of.q, step_sec: of.step, group_by: of.by, measures: of.measures, top: of.top,
    evaluator: of.evaluator, output: of.output, setup_id: of.setup, status: of.status, bins: of.bins,
  };
  return ask<Figures>(api + path + "/aggregate", { method: "POST", environment, signal, body });
}

export const ofSpans = (environment: string, of: Figured, signal: AbortSignal) => read("/warehouse/spans", environment, of, signal);
export const ofMetrics = (environment: string, of: Figured, signal: AbortSignal) => read("/metrics", environment, of, signal);
export const ofEvaluations = (environment: string, of: Figured, signal: AbortSignal) => read("/evaluations", environment, of, signal);
