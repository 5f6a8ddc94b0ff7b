// SPDX-License-Identifier: Apache-2.0

// What the URL says of the list of spans.

import { type Filter, type Sort, sorts } from "../api/spans";
import { filtersOf, parsed } from "../filter/filter";
import { type Period, periodOf } from "../period/period";
import type { Params } from "../url";

/** Columns that one may add. */
export const maxColumns = 20;

export type Wanted = {
  period: Period;
  filters: readonly Filter[];
  sort: Sort;
  order: "ASC" | "DESC";
  /** Fields that have a column of their own, beside those that are always there. */
  columns: readonly string[];
  /** Whether something of the URL could not be read and was left out. */
  broken: boolean;
};

/** Reads the parameters of the URL. */
export function wanted(params: Params): Wanted {
  const { sort, cols } = params;
  const period = periodOf(params, "1h");
  const filters = filtersOf(params.filters);
  const w: Wanted = {
    period: period ?? "1h",
    filters: filters ?? [],
    sort: "timestamp",
    order: params.order === "ASC" ? "ASC" : "DESC",
    columns: [],
    broken: period === undefined || filters === undefined,
  };
  if (sort !== undefined && sort !== "") {
    w.sort = sorts.find((s) => s === sort) ?? "timestamp";
    w.broken ||= w.sort !== sort;
  }
  if (cols !== undefined && cols !== "") {
    const list = parsed(cols);
    if (Array.isArray(list) && list.length <= maxColumns && list.every((c) => typeof c === "string" && c !== "")) w.columns = list as string[];
    else w.broken = true;
  }
  return w;
}

/** The parameter that says these columns, "" for none. */
export const columnsParam = (columns: readonly string[]) => (columns.length === 0 ? "" : JSON.stringify(columns));
