// SPDX-License-Identifier: Apache-2.0

// The course of what an alert watches, from the figures of what is stored.

import type { AlertWish } from "../api/alerts";
import { type Figured, type Figures, ofEvaluations, ofMetrics, ofSpans, type Part } from "../api/figures";
import type { Filter } from "../api/spans";
import { maxLines } from "../chart/drawing";

type Parts = "metric" | "evaluator" | "output" | "setup_id" | "filters" | "q" | "group_by" | "window_sec";
export type Watched = { [P in keyof Pick<AlertWish, Parts>]: AlertWish[P] | undefined } & Pick<AlertWish, "metric" | "group_by" | "window_sec">;

/** The value of one group in the steps of a period. */
export type WatchedLine = { keys: readonly string[]; values: readonly (number | null)[]; counts: readonly (number | null)[] };
export type WatchedCourse = { times: readonly number[]; step: number; lines: readonly WatchedLine[]; now: readonly { keys: readonly string[]; value: number | null }[] };

const day = 86_400;
const leastStep = 300;

/** Whether figures of what is stored say what is watched: pending evaluations have no past, and results of spans are not of a monitor. */
export const hasCourse = (w: Watched) =>
  w.metric !== "evaluation_delay" &&
  !(w.metric === "failing_share" && ((w.setup_id ?? "") !== "" || w.group_by.some((f) => f === "evaluator" || f === "setup_id" || f === "backend")));

const good = (evaluator: string) => (evaluator === "" ? "touchstone.evaluation.good" : `touchstone.evaluation.${evaluator}.good`);
const failing = (evaluator: string): Filter => ({ id: good(evaluator), operator: "equals", value: "false" });
const sided = (evaluator: string): Filter => ({ id: good(evaluator), operator: "in", value: ["true", "false"] });

/** The spans that an alert is about. */
export function spansOf(w: Pick<Watched, "metric" | "evaluator" | "filters">): Filter[] {
  const own = w.metric === "failing_share" ? [failing(w.evaluator ?? "")] : w.metric === "error_rate" ? [{ id: "status_code", operator: "equals", value: "STATUS_CODE_ERROR" } as const] : [];
  return [...(w.filters ?? []), ...own];
}

/** Measures of one group at one time, of the first answer or, where there are two, of the second. */
type Get = (measure: string, answer?: number) => number | null;

/** What is asked for a metric, in a period, and what its value is. */
type Question = { ask: (within: Within) => Promise<Figures[]>; value: (get: Get) => number | null };
type Within = { from: number; to: number; step?: number };

function questionOf(environment: string, w: Watched, signal: AbortSignal): Question {
  const by = w.group_by.length > 0 ? { by: w.group_by, top: maxLines } : {};
  const spans: Omit<Figured, "measures" | "from" | "to"> = { ...by, ...(w.filters === undefined ? {} : { filters: w.filters }), ...(w.q === undefined ? {} : { q: w.q }) };
  const results = { ...spans, ...(w.evaluator ? { evaluator: w.evaluator } : {}), ...(w.setup_id ? { setup: w.setup_id } : {}) };
  const share = (get: Get, of: string, answer: number) => ((get("count") ?? 0) === 0 ? null : (get(of, answer) ?? 0) / (get("count") ?? 1));
  const ofMeasure = (measure: string, unit = 1): Question => ({
    ask: async (within) => [await ofSpans(environment, { ...spans, ...within, measures: measure === "count" ? ["count"] : ["count", measure] }, signal)],
    value: (get) => {
      const v = get(measure);
      return v === null ? null : v / unit;
    },
  });
  switch (w.metric) {
    case "failing_share": {
      const of = (within: Within, more: Filter) => ofSpans(environment, { ...spans, ...within, filters: [...(w.filters ?? []), more], measures: ["count"] }, signal);
      return { ask: (within) => Promise.all([of(within, sided(w.evaluator ?? "")), of(within, failing(w.evaluator ?? ""))]), value: (get) => share(get, "count", 1) };
    }
    case "mean_score":
      return { ask: async (within) => [await ofMetrics(environment, { ...results, ...within, ...(w.output ? { output: w.output } : {}), measures: ["count", "avg"] }, signal)], value: (get) => get("avg") };
    case "results":
      return { ask: async (within) => [await ofEvaluations(environment, { ...results, ...within, status: "done", measures: ["count"] }, signal)], value: (get) => get("count") };
    case "error_rate":
      return { ...ofMeasure("errors"), value: (get) => share(get, "errors", 0) };
    case "duration_p95":
      return ofMeasure("duration_p95", 1e6);
    case "spans":
      return ofMeasure("count");
    default:
      return ofMeasure(w.metric);
  }
}

/** The groups of an answer, and their parts in it and in those that came with it. */
const groupsOf = (answers: readonly Figures[], grouped: boolean): { keys: readonly string[]; parts: (Part | undefined)[] }[] =>
  grouped
    ? (answers[0]?.groups ?? []).map(({ keys }) => ({ keys, parts: answers.map((a) => a.groups.find((g) => g.keys.join("\n") === keys.join("\n"))) }))
    : [{ keys: [], parts: [...answers] }];

/** Reads the course over a day, or over more where the window is longer than an hour, in steps of the window, and what the window has now. */
export async function readWatched(environment: string, w: Watched, signal: AbortSignal): Promise<WatchedCourse> {
  const { ask, value } = questionOf(environment, w, signal);
  const grouped = w.group_by.length > 0;
  const step = Math.max(leastStep, w.window_sec);
  const to = Math.floor(Date.now() / 1000);
  const [course, last] = await Promise.all([ask({ from: to - Math.max(day, 24 * step), to, step }), ask({ from: to - w.window_sec, to })]);
  const times = course[0]?.times ?? [];
  return {
    times, step,
    lines: groupsOf(course, grouped).map(({ keys, parts }) => ({
      keys, values: times.map((_, i) => value((measure, answer = 0) => parts[answer]?.series?.[measure]?.[i] ?? null)), counts: parts[0]?.series?.count ?? [],
    })),
    now: groupsOf(last, grouped).map(({ keys, parts }) => ({ keys, value: value((measure, answer = 0) => parts[answer]?.total[measure] ?? null) })),
  };
}
