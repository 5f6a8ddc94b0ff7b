// SPDX-License-Identifier: Apache-2.0

// What a verdict says, in the API's polarity.

import type { VerdictCounts } from "../api/traces";
import type { Outputs, Verdict } from "../api/verdicts";

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

export const outputText = (value: Outputs[string]) => (typeof value === "number" ? number.format(value) : String(value));
