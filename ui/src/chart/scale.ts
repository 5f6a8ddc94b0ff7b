// SPDX-License-Identifier: Apache-2.0

// Axes: where ticks stand, and how times are written.

import { moment } from "../text/format";

/** Round numbers from the one to the other or a little beyond it, about as many as wanted. */
export function ticks(least: number, most: number, wanted: number): number[] {
  if (!(most > least)) return [least];
  const rough = (most - least) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10) * power;
  const list: number[] = [];
  const first = Math.floor(least / step + 1e-9);
  const last = Math.ceil(most / step - 1e-9);
  for (let n = first; n <= last; n++) list.push(n * step);
  return list;
}

/** When a step begins, as exact as its length needs: the date where it is a day or longer. */
export function label(at: number, step: number, zone: "utc" | "local"): string {
  const text = moment(at * 1000, zone);
  return step >= 86_400 ? text.slice(0, 10) : step >= 60 ? text.slice(5, 16) : text.slice(11, 19);
}
