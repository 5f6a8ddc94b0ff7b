// SPDX-License-Identifier: Apache-2.0

// The calls of models in a trace as one conversation: a history that a later call
// repeats appears once.

import type { Message } from "../text/messages";

/** What a call was given and what it said. */
export type Said = { prompts: readonly Message[]; completions: readonly Message[] };

export type Turn =
  | { kind: "same"; messages: Message[] }
  | { kind: "changed"; before: Message; after: Message }
  | { kind: "new"; message: Message };

const candidates = 8; // calls before one with which it is compared
const mostPairs = 250_000; // of messages, up to which two histories are aligned

/** What two messages have in common when they are one. */
const sign = (m: Message) => JSON.stringify([m.role.toLowerCase(), m.parts, m.calls.map((c) => [c.id, c.name, c.arguments]), m.answers]);

/** For each of b the place in a of the message that it repeats, -1 for none; places rise. */
function align(a: readonly string[], b: readonly string[]): number[] {
  const places = b.map(() => -1);
  let first = 0;
  for (; first < a.length && first < b.length && a[first] === b[first]; first++) places[first] = first;
  const [n, m] = [a.length - first, b.length - first];
  if (n * m === 0 || n * m > mostPairs) return places;
  // The longest common subsequence of what is left, by lengths of those of all ends.
  const lengths = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = n - 1; i >= 0; i--) for (let j = m - 1; j >= 0; j--) lengths[i]![j] = a[first + i] === b[first + j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  for (let i = 0, j = 0; i < n && j < m; ) {
    if (a[first + i] === b[first + j]) places[first + j++] = first + i++;
    else if (at(i + 1, j) > at(i, j + 1)) i++;
    else j++;
  }
  return places;
}

/** The turns of a call that is given what was said before, with the place there of each message that it repeats. */
function turnsOf(prompts: readonly Message[], history: readonly Message[], places: readonly number[]): Turn[] {
  const turns: Turn[] = [];
  const lastSame = places.reduce((last, place, i) => (place >= 0 ? i : last), -1);
  let next = 0; // place in the history behind the last one that was repeated
  prompts.forEach((message, i) => {
    const place = places[i] ?? -1;
    const before = history[next];
    if (place >= 0) {
      const last = turns.at(-1);
      if (last?.kind === "same") last.messages.push(message);
      else turns.push({ kind: "same", messages: [message] });
      next = place + 1;
    } else if (i < lastSame && before !== undefined && before.role === message.role && !places.includes(next)) {
      turns.push({ kind: "changed", before, after: message });
      next++;
    } else turns.push({ kind: "new", message });
  });
  return turns;
}

/** The turns of each call: what it repeats of an earlier one, what of that is changed, and what is new. */
export function transcriptOf(calls: readonly Said[]): Turn[][] {
  const histories = calls.map((c) => [...c.prompts, ...c.completions]);
  const signs = histories.map((list) => list.map(sign));
  return calls.map((call, i) => {
    const own = (signs[i] ?? []).slice(0, call.prompts.length);
    let best: { places: number[]; same: number; of: number } = { places: own.map(() => -1), same: 0, of: -1 };
    for (let j = i - 1; j >= Math.max(0, i - candidates); j--) {
      const places = align(signs[j] ?? [], own);
      const same = places.filter((p) => p >= 0).length;
      if (same > best.same) best = { places, same, of: j };
    }
    const turns = turnsOf(call.prompts, histories[best.of] ?? [], best.places);
    return [...turns, ...call.completions.map((message): Turn => ({ kind: "new", message }))];
  });
}

/** The parts of two texts: what is alike at their beginnings and ends, and what is between, whole words. */
export function differenceOf(before: string, after: string): { head: string; removed: string; added: string; tail: string } {
  const words = (text: string) => text.match(/\s+|[^\s]+/g) ?? [];
  const [a, b] = [words(before), words(after)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const join = (list: readonly string[], from: number, to: number) => list.slice(from, to).join("");
  return { head: join(a, 0, head), removed: join(a, head, a.length - tail), added: join(b, head, b.length - tail), tail: join(a, a.length - tail, a.length) };
}
