// SPDX-License-Identifier: Apache-2.0

// What tests of pure modules share. They run inside a browser.

/** Complaints so far; the test reads them when all modules have run. */
export const complaints: string[] = [];

export function equal(got: unknown, want: unknown, about: string) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)];
  if (a !== b) complaints.push(`${about}: got ${a}, want ${b}`);
}

/** Numbers from 0 to below n, the same ones at each run. */
export function numbers(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff; // ISO C's example of rand
    return (state >>> 8) % n;
  };
}

/** A text of odd characters, at most so many. */
export function oddText(random: (n: number) => number, most: number): string {
  const odd = ["a", "/", "?", "&", "=", "%", "#", "+", " ", ".", "..", "\\", "é", "漢", "😀", "\u202e", "\u0000", "__proto__", '"', "<", "%2f", ";"];
  let text = "";
  for (let i = random(most + 1); i > 0; i--) text += odd[random(odd.length)] ?? "";
  return text;
}
