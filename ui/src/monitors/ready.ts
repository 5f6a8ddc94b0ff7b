// SPDX-License-Identifier: Apache-2.0

/** Monitors that are offered ready-made, with their evaluators. */
export const ready = {
  personal: ["pii-detector"],
  unsafe: ["profanity-detector", "prompt-injection"],
  relevant: ["answer-relevancy"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Ready = keyof typeof ready;
export const presets = Object.keys(ready) as Ready[];
export const isReady = (name: string): name is Ready => Object.hasOwn(ready, name);
