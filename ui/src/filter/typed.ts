// SPDX-License-Identifier: Apache-2.0

// Filters as one types them in a line: status:error model:gpt-4o -service:bot duration>2000 "refund".

import type { Filter, Operator } from "../api/spans";

/** Short names of fields. */
const fields: Readonly<Record<string, string>> = {
  status: "status_code", model: "llm.request.model", name: "span_name", service: "service_name", vendor: "llm.vendor", type: "span_type", tokens: "llm.usage.total_tokens",
  took: "duration", asked: "prompts", said: "completions",
};

const statuses: Readonly<Record<string, string>> = { error: "STATUS_CODE_ERROR", ok: "STATUS_CODE_OK", unset: "STATUS_CODE_UNSET" };

const compared: Readonly<Record<string, Operator>> = { ">": "greater_than", ">=": "greater_than_or_equal", "<": "less_than", "<=": "less_than_or_equal" };

// A name may begin as those of others' verdicts do, which have a colon within.
const name = /-?(?:evaluation\.(?:sdk|human):[^:<>~"]+?(?=[:<>~]|$)|[^\s:<>~"-][^\s:<>~"]*)/y;
const sign = /:|~|>=|<=|>|</y;
const value = /"((?:[^"\\]|\\.)*)"|[^\s"]+/y;
const space = /\s+|$/y;

/** The filters of such a line; undefined where it is not one, but the name of a field, say. */
export function typedFilters(line: string): Filter[] | undefined {
  const list: Filter[] = [];
  let at = 0;
  const next = (what: RegExp) => {
    what.lastIndex = at;
    const found = what.exec(line);
    if (found !== null) at = what.lastIndex;
    return found;
  };
  next(space);
  while (at < line.length) {
    const begin = at;
    const id = next(name)?.[0];
    const how = id === undefined ? undefined : next(sign)?.[0];
    if (id === undefined || how === undefined) {
      at = begin;
      if (line[at] !== '"') return undefined;
    }
    const found = next(value);
    if (found === null || next(space) === null) return undefined;
    const text = found[1] === undefined ? found[0] : found[1].replace(/\\(.)/g, "$1");
    if (how !== ":" && id?.startsWith("-")) return undefined; // only what is said to be equal can be said not to be
    if (id === undefined || how === undefined) list.push({ id: "completions", operator: "contains", value: text });
    else list.push(one(id, how, text, found[1] !== undefined));
  }
  return list.length === 0 ? undefined : list;
}

/** One filter; a value in quotes is taken as it stands. */
function one(name: string, sign: string, text: string, quoted: boolean): Filter {
  const not = name.startsWith("-");
  const short = not ? name.slice(1) : name;
  const id = Object.hasOwn(fields, short) ? (fields[short] ?? short) : short;
  const comparison = compared[sign];
  if (comparison !== undefined) {
    const number = Number(text);
    return { id, operator: comparison, value: Number.isFinite(number) ? number : text };
  }
  if (sign === "~" || ((id === "prompts" || id === "completions") && !not)) return { id, operator: "contains", value: text };
  if (quoted) return { id, operator: not ? "not_equals" : "equals", value: text };
  if (text === "*") return { id, operator: not ? "not_exists" : "exists" };
  if (!not && text.endsWith("*")) return { id, operator: "starts_with", value: text.slice(0, -1) };
  const meant = (v: string) => (id === "status_code" && Object.hasOwn(statuses, v) ? (statuses[v] ?? v) : v);
  const values = text.split(",").map(meant);
  if (values.length > 1) return { id, operator: not ? "not_in" : "in", value: values };
  return { id, operator: not ? "not_equals" : "equals", value: meant(text) };
}
