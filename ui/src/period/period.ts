// SPDX-License-Identifier: Apache-2.0

// What the URL says of the period that is looked at.

import type { Params } from "../url";

/** Periods that end now, in seconds. */
export const periods = { "15m": 900, "1h": 3600, "24h": 86_400, "7d": 7 * 86_400, "30d": 30 * 86_400 } as const;
export type Named = keyof typeof periods;

/** A period that ends now, or one between two Unix times in seconds. */
export type Period = Named | { from: number; to: number };

const isNamed = (t: string): t is Named => Object.hasOwn(periods, t);

/** The period of the URL, or undefined where it cannot be read. */
export function periodOf(params: Params, otherwise: Named): Period | undefined {
  const { t, from, to } = params;
  if (from !== undefined && to !== undefined) {
    const [a, b] = [Number(from), Number(to)];
    return Number.isSafeInteger(a) && Number.isSafeInteger(b) && a >= 0 && a < b ? { from: a, to: b } : undefined;
  }
  if (t === undefined || t === "") return otherwise;
  return isNamed(t) ? t : undefined;
}

/** Both ends in Unix seconds; no end where it is now. */
export function boundsOf(period: Period): { from: number; to: number | undefined } {
  if (typeof period === "object") return period;
  return { from: Math.floor(Date.now() / 1000) - periods[period], to: undefined };
}

/** The parameters that say a period. */
export const periodParams = (period: Period): Params =>
  typeof period === "object" ? { t: "", from: String(period.from), to: String(period.to) } : { t: period, from: "", to: "" };

/** Lengths of steps that people think in, in seconds. */
const steps = [10, 30, 60, 300, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86_400, 7 * 86_400] as const;

/** The step that cuts a period into about so many parts. */
export function stepOf(from: number, to: number, parts: number): number {
  return steps.find((s) => (to - from) / s <= parts) ?? 30 * 86_400;
}
