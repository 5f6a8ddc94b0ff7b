// SPDX-License-Identifier: Apache-2.0

// What an alert says, in words.

import type { Alert, AlertGroup, AlertWish, Condition, Metric } from "../api/alerts";
import { texts } from "../texts";
import { count, dollars, duration, number, percent } from "../text/format";
import { visible } from "../text/visible";

const t = texts.alerts;

export const ofResults = (m: Metric) => m === "failing_share" || m === "mean_score" || m === "results" || m === "evaluation_delay";
export const isShare = (m: Metric) => m === "failing_share" || m === "error_rate";
/** Metrics that rest on statistics. */
export const isMean = (m: Metric) => isShare(m) || m === "mean_score" || m === "duration_p95";
/** Metrics that are known from the hours of days before. */
export const hasUsual = (m: Metric) => isShare(m) || m === "mean_score";

/** A threshold of a metric as it is read. */
export function thresholdText(m: Metric, value: number): string {
  switch (m) {
    case "failing_share":
    case "error_rate":
      return percent(value);
    case "duration_p95":
      return duration(value);
    case "evaluation_delay":
      return duration(value * 1000);
    case "cost":
      return dollars(value);
    case "mean_score":
      return number(value);
  }
  return count(value);
}

/** A value of a group as it is read. That of a 95th percentile is the share of spans above the threshold. */
export const valueText = (m: Metric, value: number) => (m === "duration_p95" ? percent(value) : thresholdText(m, value));

export function conditionText(m: Metric, c: Condition): string {
  if (c.above !== undefined) return t.above(thresholdText(m, c.above));
  if (c.below !== undefined) return t.below(thresholdText(m, c.below));
  return t.worse;
}

/** What is watched, such as the failing results of an evaluator. */
export const watchedText = (a: Pick<AlertWish, "metric" | "evaluator" | "output">) => [t.metrics[a.metric], ...[a.evaluator, a.output].filter((p) => p !== undefined && p !== "").map((p) => visible(p ?? ""))].join(" · ");

export const groupText = (g: { keys: readonly string[] }) => (g.keys.length === 0 ? t.allSpans : g.keys.map((k) => (k === "" ? texts.trends.without : visible(k))).join(", "));

export const intervalText = (m: Metric, g: AlertGroup) => (g.low === undefined || g.high === undefined ? "–" : t.interval(valueText(m, g.low), valueText(m, g.high)));

/** What the alert is at, in the list: a paused alert has no status. */
export type Shown = Alert["status"] | "paused";
export const shownOf = (a: Alert): Shown => (a.paused ? "paused" : a.status);

export const isBad = (status: Shown) => status === "firing" || status === "no_data";

/** The groups, those first that are furthest on the bad side. */
export function worstFirst(a: Alert): AlertGroup[] {
  const order = { firing: 0, no_data: 1, learning: 2, ok: 2 };
  const sign = a.condition.below !== undefined || (a.metric === "mean_score" && a.condition.above === undefined) ? 1 : -1;
  const far = (g: AlertGroup) => (g.value === null ? Infinity : sign * g.value);
  return [...a.groups].sort((x, y) => order[x.status] - order[y.status] || far(x) - far(y));
}

export const isSilenced = (a: Alert, now: number) => a.silenced_until !== undefined && Date.parse(a.silenced_until) > now;
