// SPDX-License-Identifier: Apache-2.0

// What the URL says of verdicts over time, and what the answers come to.

import type { Figures, Group, Numbers } from "../api/figures";
import type { Filter } from "../api/spans";
import { filtersOf, valueFilter } from "../filter/filter";
import { isStep, type Period, periodOf } from "../period/period";
import type { texts } from "../texts";
import type { Params } from "../url";

/** What is shown of numbers. */
export const aggregates = ["avg", "p50", "p90", "p99", "min", "max"] as const;
export type Aggregate = (typeof aggregates)[number];

/** Fields of spans and of verdicts that lines are offered of. */
export const fields = ["llm.request.model", "service_name", "span_name", "llm.vendor", "workflow_name", "agent_name", "backend"] as const;

export type Wanted = {
  /** The evaluator and the output that are looked at, "" for none. */
  evaluator: string;
  output: string;
  period: Period;
  filters: readonly Filter[];
  /** The field that lines are of, "" for one line. */
  by: string | undefined;
  aggregate: Aggregate;
  /** Whether it is shown how many verdicts there are, and not what they say. */
  counts: boolean;
  /** The seconds of a step, undefined where the length of the period says it. */
  step: number | undefined;
  /** Whether the period before is shown too. */
  compare: boolean;
  /** The parts of the URL that could not be read and were left out. */
  broken: (keyof typeof texts.spans.parts)[];
};

export function wanted(params: Params): Wanted {
  const period = periodOf(params, "24h");
  const filters = filtersOf(params.filters);
  const { evaluator, output } = metricOf(params.m ?? "");
  const step = isStep(Number(params.step)) ? Number(params.step) : undefined;
  return {
    evaluator,
    output,
    period: period ?? "24h",
    filters: filters ?? [],
    by: params.by,
    aggregate: aggregates.find((a) => a === params.agg) ?? "avg",
    counts: params.agg === "count",
    step,
    compare: params.compare === "1",
    broken: [
      ...(period === undefined ? (["period"] as const) : []),
      ...(filters === undefined ? (["filters"] as const) : []),
      ...(params.step !== undefined && params.step !== "" && step === undefined ? (["interval"] as const) : []),
    ],
  };
}

/** Whether an evaluator is one of this service, and not a metric that an application or a person reports. */
export const isOurs = (evaluator: string) => !/^(sdk|human):/.test(evaluator);

/** An evaluator and its output of <evaluator>.<output>; the name of an evaluator of others, <source>:<name>, may have dots. */
export function metricOf(text: string): { evaluator: string; output: string } {
  const at = isOurs(text) ? text.indexOf(".") : text.lastIndexOf(".");
  return at < 0 ? { evaluator: text, output: "" } : { evaluator: text.slice(0, at), output: text.slice(at + 1) };
}

/** What an output is, as its figures tell. */
export type Kind = "boolean" | "number" | "text";

export function kindOf(total: Numbers): Kind {
  if (total.share_true !== null && total.share_true !== undefined) return "boolean";
  return total.avg !== null && total.avg !== undefined ? "number" : "text";
}

/** Whether an output can speak against a span. Where both values of a boolean occur and none fails, it has no direction, as numbers and texts may have none. */
export const mayFail = (total: Numbers) => (total.against ?? 0) > 0 || total.share_true === 0 || total.share_true === 1;

/** What became of the evaluations that figures rest on. */
export type Coverage = { matched: number; done: number; uncertain: number; owed: number; failed: number; skipped: number; reasons: [string, number][] };

export const noCoverage: Coverage = { matched: 0, done: 0, uncertain: 0, owed: 0, failed: 0, skipped: 0, reasons: [] };

/** Adds up groups of evaluations, of which status and reason are the keys at these places. */
export function coverageOf(groups: readonly Group[], matched: number, status: number, reason?: number): Coverage {
  const c: Coverage = { ...noCoverage, matched, reasons: [] };
  const reasons = new Map<string, number>();
  for (const g of groups) {
    const n = g.total.count ?? 0;
    switch (g.keys[status]) {
      case "done":
        c.done += n;
        break;
      case "uncertain":
        c.uncertain += n;
        break;
      case "deferred":
        c.owed += n;
        break;
      case "failed":
        c.failed += n;
        break;
      case "skipped":
        c.skipped += n;
        if (reason !== undefined) reasons.set(g.keys[reason] ?? "", (reasons.get(g.keys[reason] ?? "") ?? 0) + n);
    }
  }
  c.reasons = [...reasons].sort((a, b) => b[1] - a[1]);
  return c;
}

/** Fewer verdicts than this say little: a group of them is marked and not ranked. */
export const few = 30;

/** The condition that a span is of a group; undefined where no field of spans says it. */
export function filterOfGroup(by: string, key: string): Filter | undefined {
  if (by === "" || by === "backend" || by === "setup_id") return undefined;
  return valueFilter(by, key);
}

/** Which steps still wait for evaluations. */
export const openOf = (owed: Figures, times: readonly number[]): boolean[] => {
  const at = new Map(owed.times.map((t, i) => [t, owed.series?.count?.[i] ?? 0]));
  return times.map((t) => (at.get(t) ?? 0) > 0);
};
