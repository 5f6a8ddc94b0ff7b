// SPDX-License-Identifier: Apache-2.0

// What the URL says of the list of spans.

import { type Filter, isSort, type Sort } from "../api/spans";
import { filtersOf, parsed } from "../filter/filter";
import { type Period, periodOf } from "../period/period";
import { type Tab, tabOf } from "../span/tab";
import type { texts } from "../texts";
import type { Params } from "../url";

/** Columns that one may add. */
export const maxColumns = 20;

/** A part of an address, by the name that texts have for it. */
export type Part = keyof typeof texts.spans.parts;

export type Wanted = {
  period: Period;
  filters: readonly Filter[];
  sort: Sort;
  order: "ASC" | "DESC";
  /** Fields that have a column of their own, besides those that are always there. */
  columns: readonly string[];
  /** The span that is shown next to the list. */
  selected: { trace: string; span: string } | undefined;
  tab: Tab;
  /** Whether new spans appear by themselves. */
  live: boolean;
  /** The parts of the URL that could not be read and were left out. */
  broken: Part[];
};

/** Reads the parameters of the URL; where it says no columns, they are those that this browser keeps. */
export function wanted(params: Params, ownColumns = ""): Wanted {
  const { sort } = params;
  const cols = params.cols ?? ownColumns;
  const period = periodOf(params, "1h");
  const filters = filtersOf(params.filters);
  const w: Wanted = {
    period: period ?? "1h",
    filters: filters ?? [],
    sort: "timestamp",
    order: params.order === "ASC" ? "ASC" : "DESC",
    columns: [],
    selected: selectedOf(params.sel),
    tab: tabOf(params.tab),
    live: params.live === "1",
    broken: [...(period === undefined ? (["period"] as const) : []), ...(filters === undefined ? (["filters"] as const) : [])],
  };
  if (sort !== undefined && sort !== "") {
    if (isSort(sort)) w.sort = sort;
    else w.broken.push("sort");
  }
  if (cols !== undefined && cols !== "") {
    const list = parsed(cols);
    if (Array.isArray(list) && list.length <= maxColumns && list.every((c) => typeof c === "string" && c !== "")) w.columns = list as string[];
    else w.broken.push("columns");
  }
  return w;
}

/** Reads "<trace id>.<span id>". */
function selectedOf(text: string | undefined): Wanted["selected"] {
  const found = /^([0-9a-f]{32})\.([0-9a-f]{16})$/.exec(text ?? "");
  return found === null ? undefined : { trace: found[1] ?? "", span: found[2] ?? "" };
}

/** The parameter for the span that is shown next to the list. */
export const selectedParam = (row: { trace_id: string; span_id: string }) => `${row.trace_id}.${row.span_id}`;

/** The parameter that says these columns, "" for none. */
export const columnsParam = (columns: readonly string[]) => (columns.length === 0 ? "" : JSON.stringify(columns));

/** The columns with one of them at another place. */
export function placed(columns: readonly string[], column: string, at: number): string[] {
  if (!columns.includes(column)) return [...columns];
  const others = columns.filter((c) => c !== column);
  return [...others.slice(0, at), column, ...others.slice(at)];
}

/** The columns with one of them a place further to the left. */
export const moved = (columns: readonly string[], column: string) => placed(columns, column, Math.max(0, columns.indexOf(column) - 1));
