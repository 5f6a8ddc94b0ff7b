// SPDX-License-Identifier: Apache-2.0

// Numbers and times as they are shown.

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

export const count = (n: number) => whole.format(n);

const bytes = [["GB", 1e9], ["MB", 1e6], ["KB", 1e3]] as const;

/** A size of so many bytes or characters. */
export function size(n: number): string {
  for (const [unit, of] of bytes) if (n >= of) return `${short.format(n / of)} ${unit}`;
  return `${whole.format(n)} B`;
}

/** A duration of so many nanoseconds. */
export function nanoseconds(ns: number): string {
  if (ns === 0 || ns >= 1e6) return duration(ns / 1e6);
  return ns >= 1e3 ? `${short.format(ns / 1e3)} µs` : `${ns} ns`;
}

/** Milliseconds of a Unix time in nanoseconds, which is a text because it has more digits than a number. */
export const milliseconds = (ns: string) => Number(ns) / 1e6;

/** Seconds in two units, the smaller one only where there is something of it. */
function both(seconds: number, [large, name]: readonly [number, string], [small, rest]: readonly [number, string]): string {
  const left = Math.floor((seconds % large) / small);
  return `${whole.format(Math.floor(seconds / large))} ${name}` + (left === 0 ? "" : ` ${left} ${rest}`);
}

/** A duration of so many milliseconds, in the unit in which it reads best. */
export function duration(ms: number): string {
  if (ms < 1000) return `${short.format(ms)} ms`;
  if (ms < 60_000) return `${short.format(ms / 1000)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return both(seconds, [60, "min"], [1, "s"]);
  return seconds < 48 * 3600 ? both(seconds, [3600, "h"], [60, "min"]) : both(seconds, [24 * 3600, "d"], [3600, "h"]);
}

const two = (n: number) => String(n).padStart(2, "0");

/** A time in ISO order with milliseconds, in UTC or in the zone of this computer. */
export function moment(ms: number, zone: "utc" | "local"): string {
  const t = new Date(ms);
  if (Number.isNaN(t.getTime())) return "";
  if (zone === "utc") return t.toISOString().replace("T", " ").replace("Z", "");
  const date = `${t.getFullYear()}-${two(t.getMonth() + 1)}-${two(t.getDate())}`;
  return `${date} ${two(t.getHours())}:${two(t.getMinutes())}:${two(t.getSeconds())}.${String(t.getMilliseconds()).padStart(3, "0")}`;
}

/** A time as a list shows it: without the date where that is today's, and without the year. */
export function momentOf(ms: number, zone: "utc" | "local", now: number): string {
  const text = moment(ms, zone);
  return text.slice(0, 10) === moment(now, zone).slice(0, 10) ? text.slice(11) : text.slice(5, 19);
}

/** A time to the minute, with the date where that is not today's. */
export const minuteOf = (ms: number, zone: "utc" | "local", now: number) => momentOf(ms, zone, now).replace(/:\d\d(\.\d+)?$/, "");

/** An amount of US dollars. */
export function dollars(amount: number): string {
  return amount === 0 ? "$0" : "$" + (amount >= 0.01 ? amount.toFixed(2) : short.format(amount));
}

const fine = new Intl.NumberFormat("en", { maximumSignificantDigits: 4, useGrouping: false });

/** The value of a field of a span, with its unit where it is an amount of money. */
export const fieldText = (id: string, text: string) => (id === "cost" && text !== "" && Number.isFinite(Number(text)) ? "$" + fine.format(Number(text)) : text);

/** A share, per cent. */
export const percent = (share: number) => `${short.format(share * 100)} %`;

/** A number of any size. */
export const number = (n: number) => (Math.abs(n) >= 1000 ? whole.format(Math.round(n)) : short.format(n));

const units = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]] as const;

/** A length of so many whole seconds, in the largest unit of which it is a multiple. */
export function lasting(seconds: number): string {
  const [unit, of] = units.find(([, of]) => seconds % of === 0) ?? ["s", 1];
  return `${whole.format(seconds / of)} ${unit}`;
}

/** How long ago a time was, in the largest unit. */
export function ago(ms: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - ms) / 1000));
  const [unit, of] = units.find(([, of]) => seconds >= of) ?? ["s", 1];
  return `${Math.floor(seconds / of)} ${unit}`;
}
