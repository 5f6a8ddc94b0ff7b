// SPDX-License-Identifier: Apache-2.0

// What the URL says of a review.

import { type Period, periodOf } from "../period/period";
import type { Params } from "../url";

/** Shares of passing spans that are drawn. */
export const shares = [0, 0.01, 0.05, 0.1, 0.5, 1] as const;
const usual = 0.1;

export type Wanted = {
  /** The result that is reviewed, <evaluator>.<output>, "" for none. */
  metric: string;
  period: Period;
  share: number;
  /** Whether spans are drawn that others have reviewed. */
  others: boolean;
  broken: "period"[];
};

export function wanted(params: Params): Wanted {
  const period = periodOf(params, "24h");
  return {
    metric: params.m ?? "",
    period: period ?? "24h",
    share: shares.find((s) => String(s) === params.share) ?? usual,
    others: params.others === "1",
    broken: period === undefined ? ["period"] : [],
  };
}

/** The evaluator of a metric. */
export const evaluatorOf = (metric: string) => metric.slice(0, Math.max(0, metric.indexOf(".")));
