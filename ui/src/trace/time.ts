// SPDX-License-Identifier: Apache-2.0

// Where times stand in the waterfall of a trace.

/** A time in which nothing was done, in nanoseconds since the trace began. */
export type Cut = { from: number; to: number };

/** Finds the time of which no span is, where that is more than half of the trace. Spans are in the order of their start. */
export function cutOf(offsets: readonly number[], durations: readonly number[]): Cut | undefined {
  let end = 0;
  let longest: Cut = { from: 0, to: 0 };
  offsets.forEach((offset, i) => {
    if (offset - end > longest.to - longest.from) longest = { from: end, to: offset };
    end = Math.max(end, offset + (durations[i] ?? 0));
  });
  return longest.to - longest.from > end / 2 ? longest : undefined;
}

/** The share of the width that stands for what is cut out, per cent. */
export const cutWidth = 8;

/** Where a time stands in a part of the trace, per cent of its width, at most at one of its ends. */
export const placeIn = (ns: number, part: Cut): number => Math.max(0, Math.min(100, (100 * (ns - part.from)) / Math.max(1, part.to - part.from)));

/** Where a time stands, per cent of the width. */
export function placeOf(ns: number, whole: number, cut: Cut | undefined): number {
  if (cut === undefined) return (100 * ns) / whole;
  const shown = Math.max(1, whole - (cut.to - cut.from));
  const of = (time: number) => ((100 - cutWidth) * time) / shown;
  if (ns <= cut.from) return of(ns);
  if (ns < cut.to) return of(cut.from) + (cutWidth * (ns - cut.from)) / (cut.to - cut.from);
  return of(ns - (cut.to - cut.from)) + cutWidth;
}
