// SPDX-License-Identifier: Apache-2.0

// What became of evaluations, over time.

import type { Figures } from "../api/figures";
import type { Filter } from "../api/spans";
import type { BarPart } from "../chart/bars";
import { failingFilter, filtersParam } from "../filter/filter";
import { texts } from "../texts";
import { link } from "../url";

const statuses = [["done", "done"], ["uncertain", "uncertain"], ["deferred", "owed"], ["failed", "failed"], ["skipped", "skipped"]] as const;

/** The conditions of spans that have an evaluation of a status, "" for any; of one setup where it is named. */
export const statusFilters = (status: string, setup = ""): Filter[] => [
  ...(setup === "" ? [] : [{ id: "touchstone.evaluation.setup_id", operator: "equals", value: setup } as const]),
  ...(status === "" ? [] : [{ id: "touchstone.evaluation.status", operator: "equals", value: status } as const]),
];

/** The conditions of spans that an evaluation of a setup speaks against. */
export const againstFilters = (setup: string): Filter[] => [
  { id: "touchstone.evaluation.setup_id", operator: "equals", value: setup },
  failingFilter,
];

/** Numbers of spans by the status of their evaluations, as parts of bars that lead to those spans. */
export const becameParts = (figures: Figures, step: number, setup = ""): BarPart[] =>
  statuses.map(([status, kind]) => ({
    name: kind === "done" ? texts.verdicts.judged : texts.verdicts.kinds[kind],
    kind,
    values: figures.groups.find((g) => g.keys[0] === status)?.series?.spans ?? [],
    href: (at) => link(["spans"], { from: String(at), to: String(at + step), filters: filtersParam(statusFilters(status, setup)) }),
  }));
