// SPDX-License-Identifier: Apache-2.0

// When something changed that results depend on: the models of the spans, and the monitors.

import { type Figures, ofMetrics } from "../api/figures";
import { readSetups, type Setup } from "../api/monitors";
import type { Mark } from "../chart/lines";
import { boundsOf } from "../period/period";
import { texts } from "../texts";
import { beginning } from "../text/visible";
import type { Wanted } from "./state";

const t = texts.trends.marks;
const most = 8; // marks that are shown
const leastResults = 10; // of a model
const leastShare = 0.05;

/** When a model began to give results that are no exception, and when it gave the last ones, where others have results before or after. */
export function marksOfModels(of: Figures): Mark[] {
  const all = of.total.count ?? 0;
  const steps = of.groups.flatMap((g) => (g.series?.count ?? []).flatMap((n, i) => (n ? [i] : [])));
  const [first, last] = [Math.min(...steps), Math.max(...steps)];
  return of.groups.flatMap((g) => {
    const n = g.total.count ?? 0;
    const own = (g.series?.count ?? []).flatMap((n, i) => (n ? [i] : []));
    const [begins, ends] = [own[0], own.at(-1)];
    const name = beginning(g.keys[0] ?? "", 60);
    if (name === "" || n < leastResults || n < leastShare * all || begins === undefined || ends === undefined) return [];
    return [
      ...(begins > first ? [{ at: of.times[begins] ?? 0, text: t.begins(name) }] : []),
      ...(ends < last ? [{ at: (of.times[ends] ?? 0) + of.step_sec, text: t.ends(name) }] : []),
    ];
  });
}

/** When monitors that run an evaluator were created and paused. */
export const marksOfMonitors = (setups: readonly Setup[], evaluator: string): Mark[] =>
  setups
    .filter((s) => s.evaluators.some((e) => e.evaluator_type === evaluator))
    .flatMap((s) => [
      { at: Date.parse(s.created_at) / 1000, text: t.created(beginning(s.external_id, 60)) },
      ...(s.paused && s.paused_since !== undefined ? [{ at: Date.parse(s.paused_since) / 1000, text: t.paused(beginning(s.external_id, 60)) }] : []),
    ]);

/** Reads what changed within a period, the latest first to be left out where there is too much. */
export async function readMarks(environment: string, w: Wanted, step: number, signal: AbortSignal): Promise<Mark[]> {
  const { from, to } = boundsOf(w.period);
  const end = to ?? Date.now() / 1000;
  const [models, setups] = await Promise.all([
    ofMetrics(environment, { from, to, filters: w.filters, evaluator: w.evaluator, output: w.output, step, by: ["llm.request.model"], measures: ["count"], top: 10 }, signal),
    readSetups(environment, signal),
  ]);
  return [...marksOfModels(models), ...marksOfMonitors(setups, w.evaluator)]
    .filter((m) => m.at > from && m.at < end)
    .sort((a, b) => a.at - b.at)
    .slice(0, most);
}
