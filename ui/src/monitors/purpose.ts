// SPDX-License-Identifier: Apache-2.0

// What evaluators are for, and whether they can run in an environment.

import type { Evaluator } from "../api/evaluators";
import type { Me } from "../api/me";

/** Purposes in the order in which they are listed. */
export const purposes = ["own", "safety", "quality", "rag", "agents", "format", "counts", "other"] as const;
export type Purpose = (typeof purposes)[number];

const slugs: Readonly<Record<Exclude<Purpose, "own" | "other">, readonly string[]>> = {
  safety: ["pii-detector", "secrets-detector", "prompt-injection", "profanity-detector", "sexism-detector", "toxicity-detector"],
  quality: [
    "answer-relevancy", "answer-completeness", "answer-correctness", "conversation-quality", "instruction-adherence", "intent-change", "semantic-similarity", "tone-detection", "topic-adherence",
    "uncertainty-detector", "perplexity", "prompt-perplexity",
  ],
  rag: ["faithfulness", "context-relevance"],
  agents: [
    "action-advancement", "agent-efficiency", "agent-flow-quality", "agent-goal-accuracy", "agent-goal-completeness", "agent-tool-error-detector", "agent-tool-selection-quality", "agent-tool-trajectory",
  ],
  format: ["json-validator", "sql-validator", "html-comparison", "regex-validator", "placeholder-regex"],
  counts: ["char-count", "char-count-ratio", "word-count", "word-count-ratio"],
};

export const purposeOf = (e: Evaluator): Purpose => (e.source === "custom" ? "own" : (purposes.find((p) => p !== "own" && p !== "other" && slugs[p].includes(e.slug)) ?? "other"));

const models = ["judge", "embedding", "classifier"] as const;

/** The models of which an evaluator needs one and none is configured; none where it can run. */
export function lacking(e: Evaluator, there: Me["models"]): (typeof models)[number][] {
  const needed = models.filter((m) => e.backends.includes(m));
  return needed.length < e.backends.length || needed.some((m) => there[m]) ? [] : needed;
}
