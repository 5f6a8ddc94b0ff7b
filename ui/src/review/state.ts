// SPDX-License-Identifier: Apache-2.0

// What the URL says of a review.

import type { Filter } from "../api/spans";
import { filtersOf } from "../filter/filter";
import { type Period, periodOf } from "../period/period";
import type { Params } from "../url";

/** Shares of passing spans that are drawn. */
export const shares = [0, 0.01, 0.05, 0.1, 0.5, 1] as const;
const usual = 0.1;

export type Wanted = {
  /** The result that is reviewed, <evaluator>.<output>, "" for none. */
  metric: string;
  period: Period;
  /** What spans have to satisfy. */
  filters: readonly Filter[];
  share: number;
  /** Whether spans are drawn that others have reviewed. */
  others: boolean;
  broken: ("period" | "filters")[];
};

export function wanted(params: Params): Wanted {
  const period = periodOf(params, "24h");
  const filters = filtersOf(params.filters);
  return {
    metric: params.m ?? "",
    period: period ?? "24h",
    filters: filters ?? [],
    share: shares.find((s) => String(s) === params.share) ?? usual,
    others: params.others === "1",
    broken: [...(period === undefined ? (["period"] as const) : []), ...(filters === undefined ? (["filters"] as const) : [])],
  };
}

/** The evaluator of a metric. */
export const evaluatorOf = (metric: string) => metric.slice(0, Math.max(0, metric.indexOf(".")));
