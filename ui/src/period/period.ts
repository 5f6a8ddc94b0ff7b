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

export const isStep = (seconds: number) => steps.some((s) => s === seconds);

/** The step that cuts a period into about so many parts. */
export function stepOf(from: number, to: number, parts: number): number {
  return steps.find((s) => (to - from) / s <= parts) ?? 30 * 86_400;
}

const mostSteps = 398; // the API answers 400, and both ends of a period may be within a step

/** Steps that cut a period into at least two parts and no more than the API answers. */
export const stepsOf = (from: number, to: number): readonly number[] => steps.filter((s) => (to - from) / s >= 2 && (to - from) / s <= mostSteps);

/** The period of the same length right before or after one; what would end about now or later ends now. */
export function moved(period: Period, by: -1 | 1, now: number): Period {
  const { from, to } = typeof period === "object" ? period : { from: now - periods[period], to: now };
  const length = to - from;
  if (by < 0) return { from: Math.max(0, from - length), to: Math.max(length, to - length) };
  if (to + length < now - length / 10) return { from: to, to: to + length };
  const named = (Object.keys(periods) as Named[]).find((p) => periods[p] === length);
  return named ?? { from: now - length, to: now };
}

const latest = 253_402_300_799; // the end of the year 9999

/** What a field for a time shows of Unix seconds. */
export function fieldOf(at: number, zone: "utc" | "local"): string {
  if (at > latest) return "";
  const shift = zone === "utc" ? 0 : new Date(at * 1000).getTimezoneOffset() * 60;
  return new Date((at - shift) * 1000).toISOString().slice(0, 19).replace("T", " ");
}

/** The Unix seconds that such a field says, undefined where it says none. */
export function timeOf(text: string, zone: "utc" | "local"): number | undefined {
  const found = /^\s*(\d{4}-\d\d-\d\d)(?:[T ]+(\d\d:\d\d)(:\d\d)?)?\s*$/.exec(text);
  if (found === null) return undefined;
  const at = Date.parse(`${found[1]}T${found[2] ?? "00:00"}${found[3] ?? ":00"}${zone === "utc" ? "Z" : ""}`);
  return Number.isFinite(at) && at >= 0 ? Math.floor(at / 1000) : undefined;
}
