// SPDX-License-Identifier: Apache-2.0

// What the URL says of the list of spans.

import { type Filter, type Operator, operators, type Sort, sorts } from "../api/spans";
import type { Params } from "../url";

/** Periods that end now, in seconds. */
export const periods = { "15m": 900, "1h": 3600, "24h": 86_400, "7d": 7 * 86_400, "30d": 30 * 86_400 } as const;
export type Period = keyof typeof periods;

/** Columns that one may add. */
export const maxColumns = 20;

export type Wanted = {
  /** A period that ends now, or one between two Unix times in seconds. */
  period: Period | { from: number; to: number };
  filters: readonly Filter[];
  sort: Sort;
  order: "ASC" | "DESC";
  /** Fields that have a column of their own, beside those that are always there. */
  columns: readonly string[];
  /** Whether something of the URL could not be read and was left out. */
  broken: boolean;
};

const isPeriod = (t: string): t is Period => Object.hasOwn(periods, t);
const isOperator = (o: unknown): o is Operator => operators.some((known) => known === o);

function isFilter(f: unknown): f is Filter {
  if (typeof f !== "object" || f === null) return false;
  const { id, operator, value } = f as Record<string, unknown>;
  const one = (v: unknown) => typeof v === "string" || typeof v === "number" || typeof v === "boolean";
  return typeof id === "string" && id !== "" && isOperator(operator) && (value === undefined || one(value) || (Array.isArray(value) && value.every(one)));
}

/** Reads the parameters of the URL. */
export function wanted(params: Params): Wanted {
  const w: Wanted = { period: "1h", filters: [], sort: "timestamp", order: params.order === "ASC" ? "ASC" : "DESC", columns: [], broken: false };
  const { t, from, to, filters, sort, cols } = params;
  if (sort !== undefined && sort !== "") {
    w.sort = sorts.find((s) => s === sort) ?? "timestamp";
    w.broken = w.sort !== sort;
  }
  if (from !== undefined && to !== undefined) {
    const [a, b] = [Number(from), Number(to)];
    if (Number.isSafeInteger(a) && Number.isSafeInteger(b) && a >= 0 && a < b) w.period = { from: a, to: b };
    else w.broken = true;
  } else if (t !== undefined && t !== "") {
    if (isPeriod(t)) w.period = t;
    else w.broken = true;
  }
  if (filters !== undefined && filters !== "") {
    const list = parsed(filters);
    if (Array.isArray(list) && list.every(isFilter)) w.filters = list;
    else w.broken = true;
  }
  if (cols !== undefined && cols !== "") {
    const list = parsed(cols);
    if (Array.isArray(list) && list.length <= maxColumns && list.every((c) => typeof c === "string" && c !== "")) w.columns = list as string[];
    else w.broken = true;
  }
  return w;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The parameter that says these columns, "" for none. */
export const columnsParam = (columns: readonly string[]) => (columns.length === 0 ? "" : JSON.stringify(columns));

/** The parameter that says these filters, "" for none. */
export const filtersParam = (filters: readonly Filter[]) => (filters.length === 0 ? "" : JSON.stringify(filters));

const numeric: readonly Operator[] = ["greater_than", "greater_than_or_equal", "less_than", "less_than_or_equal"];
export const hasValue = (o: Operator) => o !== "exists" && o !== "not_exists";

/** The filter that somebody typed; several values are separated by commas. */
export function filterOf(id: string, operator: Operator, typed: string): Filter {
  if (!hasValue(operator)) return { id, operator };
  if (operator === "in" || operator === "not_in") return { id, operator, value: typed.split(",").map((v) => v.trim()) };
  const number = Number(typed);
  return { id, operator, value: numeric.includes(operator) && typed.trim() !== "" && Number.isFinite(number) ? number : typed };
}
