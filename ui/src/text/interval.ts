// SPDX-License-Identifier: Apache-2.0

const z = 1.96; // for 95 %

// https://en.wikipedia.org/wiki/Binomial_proportion_confidence_interval#Wilson_score_interval
/** The interval that has a share with 95 %, as if what is counted were independent. */
export function intervalOf(hits: number, all: number): [number, number] {
  const share = hits / all;
  const middle = (share + (z * z) / (2 * all)) / (1 + (z * z) / all);
  const half = (z / (1 + (z * z) / all)) * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}
