// SPDX-License-Identifier: Apache-2.0

// An alert while it is edited, and what it asks of the API.

import { type Alert, type AlertWish, type Condition, type Metric, metrics, type ShownTarget, type TargetType } from "../api/alerts";
import type { Filter } from "../api/spans";
import { filtersOf } from "../filter/filter";
import type { Params } from "../url";
import { isShare, ofResults } from "./words";

export type DraftTarget = { name: string; type: TargetType; url: string; secret: string; /** What is stored of it. */ stored?: ShownTarget };

export const kinds = ["above", "below", "worse_than_usual"] as const;
export type Kind = (typeof kinds)[number];

export type Draft = {
  name: string;
  metric: Metric;
  evaluator: string;
  output: string;
  lowest: string;
  highest: string;
  filters: readonly Filter[];
  /** Fields separated by commas, "" for none. */
  by: string;
  kind: Kind;
  /** The threshold as it is typed: of shares per cent. */
  threshold: string;
  window: string;
  delay: string;
  falseAlarms: string;
  noData: boolean;
  paused: boolean;
  targets: readonly DraftTarget[];
};

export const emptyTarget: DraftTarget = { name: "", type: "webhook", url: "", secret: "" };

const empty: Draft = {
  name: "", metric: "failing_share", evaluator: "", output: "", lowest: "0", highest: "1", filters: [], by: "", kind: "above", threshold: "",
  window: "3600", delay: "60", falseAlarms: "5", noData: false, paused: false, targets: [],
};

/** The draft that an address asks for, such as that of a chart. */
export function begun(params: Params): Draft {
  const metric = metrics.find((m) => m === params.metric) ?? "failing_share";
  return {
    ...empty, metric, evaluator: params.evaluator ?? "", output: params.output ?? "", highest: params.highest ?? "1", filters: filtersOf(params.filters) ?? [], by: params.by ?? "",
    kind: metric === "mean_score" || metric === "spans" ? "below" : "above",
  };
}

const round = (n: number) => String(Math.round(n * 1e9) / 1e9);

/** A draft of what is stored. */
export function draftOf(a: Alert): Draft {
  const { condition: c } = a;
  const bound = c.above ?? c.below;
  return {
    name: a.name, metric: a.metric, evaluator: a.evaluator ?? "", output: a.output ?? "", lowest: round(a.score_range?.[0] ?? 0), highest: round(a.score_range?.[1] ?? 1),
    filters: a.filters ?? [], by: a.group_by.join(","), kind: c.above !== undefined ? "above" : c.below !== undefined ? "below" : "worse_than_usual",
    threshold: bound === undefined ? "" : round(isShare(a.metric) ? bound * 100 : bound),
    window: String(a.window_sec), delay: String(a.delay_sec), falseAlarms: round(a.false_alarms * 100), noData: a.no_data === "alert", paused: a.paused,
    targets: a.targets.map((one) => ({ ...emptyTarget, name: one.name, type: one.type, stored: one })),
  };
}

/** The number that was typed, divided; what is none goes to the API as it is, which says what is wrong. */
function numberOf(text: string, by = 1): number {
  const n = Number(text);
  return (text.trim() === "" ? undefined : Number.isFinite(n) ? n / by : text) as number;
}

function conditionOf(d: Draft): Condition {
  return d.kind === "worse_than_usual" ? { worse_than_usual: true } : { [d.kind]: numberOf(d.threshold, isShare(d.metric) ? 100 : 1) };
}

/** What a draft asks for; stored is what it began with. */
export function wishOf(d: Draft, stored: Alert | undefined): AlertWish {
  return {
    name: d.name, metric: d.metric,
    ...(ofResults(d.metric) && d.evaluator !== "" ? { evaluator: d.evaluator } : {}),
    ...(ofResults(d.metric) && stored?.setup_id !== undefined ? { setup_id: stored.setup_id } : {}),
    ...(d.metric === "mean_score" ? { output: d.output, score_range: [numberOf(d.lowest), numberOf(d.highest)] } : {}),
    ...(d.filters.length > 0 ? { filters: d.filters } : {}),
    ...(stored?.q === undefined ? {} : { q: stored.q }),
    group_by: d.by === "" ? [] : d.by.split(","),
    window_sec: Number(d.window), delay_sec: numberOf(d.delay), condition: conditionOf(d), no_data: d.noData ? "alert" : "keep", false_alarms: numberOf(d.falseAlarms, 100), paused: d.paused,
    targets: d.targets.map((one) => ({ name: one.name, type: one.type, ...(one.url === "" ? {} : { url: one.url }), ...(one.secret === "" ? {} : { secret: one.secret }) })),
  };
}
