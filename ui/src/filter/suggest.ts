// SPDX-License-Identifier: Apache-2.0

import { ofEvaluations, ofSpans } from "../api/figures";
import { type Field, type Filter, readFields, readLine } from "../api/spans";
import { texts } from "../texts";
import { count } from "../text/format";
import type { Choice, Suggest } from "./filters";
import { boundsOf, type Period } from "../period/period";

const mostValues = 20;
const longest = 200; // characters of a value that can be chosen from a list

const t = texts.spans;
const spansOf = (n: number) => t.found(count(n), n);

/** Fields of what became of evaluations, which are no values of spans that could be counted. */
const judged: readonly Choice[] = (["status", "reason", "backend", "setup_id", "good"] as const).map((m) => ({ value: "touchstone.evaluation." + m, about: t.judgedFields[m] }));

const fieldOf = (f: Field): Choice => ({ value: f.id, about: t.aboutField(t.types[f.type], spansOf(f.spans)) });
const textOf = (value: string): Choice => ({ value });

/** Suggests fields and values that spans of a period have, under the filters that hold already. */
export function suggestOf(environment: string, period: Period, filters: readonly Filter[]): Suggest {
  const { from, to } = boundsOf(period);
  return {
    line: (typed) => readLine(environment, typed, from),
    fields: async (signal) => [...(await readFields(environment, from, signal)).fields.filter((f) => f.id.length <= longest).map(fieldOf), ...judged],
    values: async (field, typed, signal) => {
      if (/^touchstone\.evaluation\.(.*\.)?status$/.test(field)) return ["done", "uncertain", "deferred", "skipped", "failed"].map(textOf);
      const member = /^touchstone\.evaluation\.(?:.*\.)?([a-z_]+)$/.exec(field)?.[1];
      if (member === "good") return ["true", "false"].map(textOf);
      if (member !== undefined) {
        const grouped = await ofEvaluations(environment, { from, to, by: [member], measures: ["count"], top: mostValues }, signal);
        return grouped.groups.map((g) => ({ value: g.keys[0] ?? "" })).filter((v) => v.value.startsWith(typed) && v.value !== "" && v.value.length <= longest);
      }
      if (field.startsWith("evaluation.")) return ["true", "false"].map(textOf); // the API does not group by verdicts; what is a number is typed
      const begins: Filter[] = typed === "" ? [] : [{ id: field, operator: "starts_with", value: typed }];
      const figures = await ofSpans(environment, { from, to, filters: [...filters, ...begins], by: [field], measures: ["count"], top: mostValues }, signal);
      return figures.groups.map((g) => ({ value: g.keys[0] ?? "", about: spansOf(g.total.count ?? 0) })).filter((v) => v.value !== "" && v.value.length <= longest);
    },
  };
}
