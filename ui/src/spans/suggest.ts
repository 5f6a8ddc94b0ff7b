// SPDX-License-Identifier: Apache-2.0

import { ofSpans } from "../api/figures";
import { type Filter, readFields } from "../api/spans";
import type { Suggest } from "../filter/filters";
import { boundsOf, type Period } from "../period/period";

const mostValues = 20;
const longest = 200; // characters of a value that can be chosen from a list

/** Suggests fields and values that spans of a period have, under the filters that hold already. */
export function suggestOf(environment: string, period: Period, filters: readonly Filter[]): Suggest {
  const { from, to } = boundsOf(period);
  return {
    fields: async (signal) => (await readFields(environment, from, signal)).fields.map((f) => f.id).filter((id) => id.length <= longest),
    values: async (field, typed, signal) => {
      if (/^touchstone\.evaluation\.(.*\.)?status$/.test(field)) return ["done", "deferred", "skipped", "failed"];
      if (field.startsWith("evaluation.")) return ["true", "false"]; // the API does not group by verdicts; what is a number is typed
      const begins: Filter[] = typed === "" ? [] : [{ id: field, operator: "starts_with", value: typed }];
      const figures = await ofSpans(environment, { from, to, filters: [...filters, ...begins], by: [field], measures: ["count"], top: mostValues }, signal);
      return figures.groups.map((g) => g.keys[0] ?? "").filter((v) => v !== "" && v.length <= longest);
    },
  };
}
