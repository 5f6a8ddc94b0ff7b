// SPDX-License-Identifier: Apache-2.0

// What the overview asks for.

import { type Figures, ofEvaluations, ofMetrics, ofSpans } from "../api/figures";
import type { Filter } from "../api/spans";
import { boundsOf, type Period, stepOf } from "../period/period";

const parts = 30;
const shortParts = 300;
const top = 20; // groups of a table

/** Results by output: how many there are, and how many fail. */
export const outputs = { by: ["evaluator", "output"], measures: ["count", "against"], top: 50 } as const;

/** Conditions of spans. */
export const roots: Filter = { id: "parent_span_id", operator: "not_exists" };
export const judged: Filter = { id: "touchstone.evaluation.status", operator: "equals", value: "done" };
export const ofType = (type: string): Filter => ({ id: "span_type", operator: "equals", value: type });
export const calls: Filter = { id: "llm.request.model", operator: "exists" };

export type Overview = {
  from: number;
  to: number | undefined;
  step: number;
  spans: Figures;
  traces: Figures;
  /** Calls by model. */
  models: Figures;
  services: Figures;
  /** Spans with results, by service. */
  judged: Figures;
  judgedModels: Figures;
  agents: Figures;
  tools: Figures;
  /** The services in the period of the same length before. */
  before: Figures;
  outputs: Figures;
  evaluations: Figures;
  /** When the last evaluation of each short step ended, by what judged. */
  ends: Figures;
};

/** Reads the figures of a period. */
export async function readOverview(environment: string, period: Period, signal: AbortSignal): Promise<Overview> {
  const { from, to } = boundsOf(period);
  const end = to ?? Math.floor(Date.now() / 1000);
  const step = stepOf(from, end, parts);
  const within = { from, to };
  const usage = ["count", "errors", "duration_p95", "total_tokens", "cost"];
  const [spans, traces, models, services, judgedOnes, judgedModels, agents, tools, before, results, evaluations, ends] = await Promise.all([
    ofSpans(environment, { ...within, step, measures: ["count", "errors", "duration_p50", "duration_p95", "total_tokens", "cost"] }, signal),
    ofSpans(environment, { ...within, step, filters: [roots], measures: ["count"] }, signal),
    ofSpans(environment, { ...within, step, filters: [calls], by: ["llm.request.model"], measures: usage, top }, signal),
    ofSpans(environment, { ...within, step, by: ["service_name"], measures: usage, top }, signal),
    ofSpans(environment, { ...within, step, filters: [judged], by: ["service_name"], measures: ["count", "against"], top }, signal),
    ofSpans(environment, { ...within, filters: [judged, calls], by: ["llm.request.model"], measures: ["count", "against"], top }, signal),
    ofSpans(environment, { ...within, filters: [ofType("agent")], by: ["entity"], measures: usage, top }, signal),
    ofSpans(environment, { ...within, filters: [ofType("tool")], by: ["entity"], measures: usage, top }, signal),
    ofSpans(environment, { from: Math.max(0, 2 * from - end), to: from - 1, by: ["service_name"], measures: ["count", "duration_p95", "cost"], top }, signal),
    ofMetrics(environment, { ...within, step, ...outputs }, signal),
    ofEvaluations(environment, { ...within, by: ["status"], measures: ["count"] }, signal),
    ofEvaluations(environment, { ...within, step: stepOf(from, end, shortParts), status: "done", by: ["backend"], measures: ["last_ns"], top }, signal),
  ]);
  return { ...within, step, spans, traces, models, services, judged: judgedOnes, judgedModels, agents, tools, before, outputs: results, evaluations, ends };
}
