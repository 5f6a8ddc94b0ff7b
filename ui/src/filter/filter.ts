// SPDX-License-Identifier: Apache-2.0

// Filters of spans, as the URL says them and as users type them.

import { type Filter, type Operator, operators } from "../api/spans";

const isOperator = (o: unknown): o is Operator => operators.some((known) => known === o);

function isFilter(f: unknown): f is Filter {
  if (typeof f !== "object" || f === null) return false;
  const { id, operator, value } = f as Record<string, unknown>;
  const one = (v: unknown) => typeof v === "string" || typeof v === "number" || typeof v === "boolean";
  return typeof id === "string" && id !== "" && isOperator(operator) && (value === undefined || one(value) || (Array.isArray(value) && value.every(one)));
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The filters of a parameter, or undefined where it cannot be read. */
export function filtersOf(text: string | undefined): readonly Filter[] | undefined {
  if (text === undefined || text === "") return [];
  const list = parsed(text);
  return Array.isArray(list) && list.every(isFilter) ? list : undefined;
}

/** The parameter that says these filters, "" for none. */
export const filtersParam = (filters: readonly Filter[]) => (filters.length === 0 ? "" : JSON.stringify(filters));

const numeric: readonly Operator[] = ["greater_than", "greater_than_or_equal", "less_than", "less_than_or_equal"];
export const hasValue = (o: Operator) => o !== "exists" && o !== "not_exists";

/** The filter that a user typed; several values are separated by commas. No value is what is shown empty, and that is a field that the span does not have. */
export function filterOf(id: string, operator: Operator, typed: string): Filter {
  if (typed === "" && operator === "equals") return { id, operator: "not_exists" };
  if (typed === "" && operator === "not_equals") return { id, operator: "exists" };
  if (!hasValue(operator)) return { id, operator };
  if (operator === "in" || operator === "not_in") return { id, operator, value: typed.split(",").map((v) => v.trim()) };
  const number = Number(typed);
  return { id, operator, value: numeric.includes(operator) && typed.trim() !== "" && Number.isFinite(number) ? number : typed };
}

/** The condition that a field has a value; what is shown empty is a field that the span does not have. */
export const valueFilter = (id: string, value: string): Filter => (value === "" ? { id, operator: "not_exists" } : { id, operator: "equals", value });

/** The condition of spans that failed with an error. */
export const failedFilter: Filter = { id: "status_code", operator: "equals", value: "STATUS_CODE_ERROR" };

/** The condition of spans that an evaluation speaks against. */
export const failingFilter: Filter = { id: "touchstone.evaluation.good", operator: "equals", value: "false" };

/** The conditions that an output, of which it is known what is good, speaks against what was judged. */
export const againstOf = (id: string, good: boolean | string): Filter[] =>
  typeof good === "boolean" ? [{ id, operator: "equals", value: !good }] : [{ id, operator: "exists" }, { id, operator: "not_equals", value: good }];

/** The values that a filter wants a field to have; none where it wants something else. */
export const valuesOf = (f: Filter): string[] => (f.operator === "equals" ? [String(f.value)] : f.operator === "in" && Array.isArray(f.value) ? f.value.map(String) : []);

/** The filters with a value of a field wanted, too, or no longer. */
export function toggled(filters: readonly Filter[], id: string, value: string): Filter[] {
  const at = filters.findIndex((f) => f.id === id && valuesOf(f).length > 0);
  const now = at < 0 ? [] : valuesOf(filters[at]!);
  const next = now.includes(value) ? now.filter((v) => v !== value) : [...now, value];
  const others = filters.filter((_, i) => i !== at);
  const [only] = next;
  if (only === undefined) return others;
  return [...others, next.length === 1 ? { id, operator: "equals", value: only } : { id, operator: "in", value: next }];
}
