// SPDX-License-Identifier: Apache-2.0

// What a verdict says, in the API's polarity.

import type { VerdictCounts } from "../api/traces";
import type { Evidence, Result, Verdict } from "../api/verdicts";

export type Kind = keyof VerdictCounts;

/** Kinds in the order in which they matter to a reader. */
export const kinds: readonly Kind[] = ["against", "failed", "uncertain", "owed", "neither", "for", "skipped"];

export const icons: Readonly<Record<Kind, string>> = { for: "✓", against: "✗", neither: "◦", uncertain: "?", owed: "◷", skipped: "–", failed: "!" };

export function kindOf(v: Pick<Verdict, "status" | "good">): Kind {
  switch (v.status) {
    case "deferred":
      return "owed";
    case "uncertain":
    case "skipped":
    case "failed":
      return v.status;
    case "done":
      return v.good === null ? "neither" : v.good ? "for" : "against";
  }
}

/** The verdicts, those first that matter most. */
export const byWeight = (list: readonly Verdict[]): Verdict[] => [...list].sort((a, b) => kinds.indexOf(kindOf(a)) - kinds.indexOf(kindOf(b)));

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 4 });

const evidenceText = (e: Evidence) => `${e.input} ${e.start}–${e.end}${e.kind ? ` ${e.kind}` : ""}`;

export function outputText(value: Result[string]): string {
  if (typeof value === "object") return value.map(evidenceText).join(", ");
  return typeof value === "number" ? number.format(value) : String(value);
}
