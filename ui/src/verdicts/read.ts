// SPDX-License-Identifier: Apache-2.0

// The answers that one metric's screen is made of.

import { type Figures, ofEvaluations, ofMetrics } from "../api/figures";
import { maxLines } from "../chart/drawing";
import { boundsOf, stepOf, stepsOf } from "../period/period";
import { count, number, percent } from "../text/format";
import { coverageOf, type Coverage, kindOf, type Kind, openOf, type Wanted } from "./state";

export type Course = {
  kind: Kind;
  /** The field that lines are of, "" for one line. */
  by: string;
  backends: string[];
  figures: Figures;
  before: Figures;
  /** The period before by steps, where it is wanted, and by how many seconds it was earlier. */
  past: Figures | undefined;
  shift: number;
  coverage: Coverage;
  /** What became of the evaluations of each group, by its key; none where no field of spans says who is of it. */
  groups: ReadonlyMap<string, Coverage>;
  open: boolean[];
  step: number;
};

/** How a value of a course is written. */
export const showOf = (course: Course, w: Wanted) => (w.counts ? count : course.kind === "number" ? number : percent);

/** The figure that is shown of a group or a step. */
export const measureOf = (course: Course, w: Wanted) => (w.counts ? "count" : course.kind === "boolean" ? "share_true" : course.kind === "number" ? w.aggregate : "count");

const parts = 48; // steps of a chart
const leastParts = 12;
const enough = 20; // verdicts of a step of which a share says something
const groupsExpected = 3; // groups that most verdicts are of

/** Reads how the verdicts of one output went. Where several backends judged and nothing else is asked for, lines are of those. */
export async function readCourse(environment: string, w: Wanted, signal: AbortSignal): Promise<Course> {
  const { from, to } = boundsOf(w.period);
  const end = to ?? Math.floor(Date.now() / 1000);
  const asked = { from, to, filters: w.filters, evaluator: w.evaluator };
  const of = { ...asked, output: w.output };
  const [all, statuses] = await Promise.all([
    ofMetrics(environment, { ...of, by: ["backend"], measures: ["count", "share_true", "avg"], bins: 20 }, signal),
    ofEvaluations(environment, { ...asked, by: ["status", "reason"], measures: ["count", "spans"], top: 100 }, signal),
  ]);
  const kind = kindOf(all.total);
  const backends = all.groups.map((g) => g.keys[0] ?? "");
  const by = kind === "text" ? "value" : (w.by ?? (backends.length > 1 ? "backend" : ""));
  const measures = kind === "boolean" ? ["count", "share_true"] : kind === "number" ? ["count", w.aggregate] : ["count"];
  const lines = by === "" ? {} : { by: [by], top: maxLines };
  const each = (all.total.count ?? 0) / (by === "" || w.counts ? 1 : groupsExpected);
  const step = stepsOf(from, end).find((s) => s === w.step) ?? stepOf(from, end, kind === "boolean" && !w.counts ? Math.max(leastParts, Math.min(parts, Math.floor(each / enough))) : parts);
  const shift = Math.ceil((end - from) / step) * step; // whole steps, so that each has one that it is compared with
  const spanField = by !== "" && by !== "value" && by !== "backend";
  const [owed, figures, before, past, covered] = await Promise.all([
    ofEvaluations(environment, { ...asked, status: "deferred", step, measures: ["count"] }, signal),
    ofMetrics(environment, { ...of, ...lines, measures, step }, signal),
    ofMetrics(environment, { ...of, ...lines, from: Math.max(0, 2 * from - end), to: from - 1, measures }, signal),
    w.compare ? ofMetrics(environment, { ...of, ...lines, from: Math.max(0, from - shift), to: end - shift, measures, step }, signal) : undefined,
    spanField ? ofEvaluations(environment, { ...asked, by: [by, "status"], measures: ["count"], top: 200 }, signal) : undefined,
  ]);
  if (all.bins !== undefined) figures.bins = all.bins;
  const groups = new Map<string, Coverage>();
  for (const g of figures.groups) {
    const key = g.keys[0] ?? "";
    const of = covered?.groups.filter((c) => c.keys[0] === key);
    if (of !== undefined) groups.set(key, coverageOf(of, of.reduce((sum, c) => sum + (c.total.count ?? 0), 0), 1));
  }
  return {
    kind, by, backends, figures, before, past, shift, groups, step,
    coverage: coverageOf(statuses.groups, statuses.total.spans ?? 0, 0, 1),
    open: openOf(owed, figures.times),
  };
}
