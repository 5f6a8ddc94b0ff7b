// SPDX-License-Identifier: Apache-2.0

// What is known of a trace, made ready to be shown.

import type { Trace } from "../api/traces";
import { build, narrow, shown, sums, type Tree, withAncestors } from "./tree";

export const shows = ["all", "llm", "errors", "against"] as const;
export type Show = (typeof shows)[number];

/** Types of spans that are steps of a model's work; the others are plumbing. */
const steps = new Set(["llm", "embedding", "tool", "agent", "workflow", "retrieval", "guardrail"]);

export type Model = {
  trace: Trace;
  size: number;
  tree: Tree;
  /** Of each span with all below it: errors and verdicts against. */
  errors: Int32Array;
  against: Int32Array;
  /** Of each span whether it is outside the time of its parent. */
  outside: Uint8Array;
  isError: (span: number) => boolean;
};

export function modelOf(trace: Trace): Model {
  const { columns, dictionaries } = trace;
  const size = columns.span_id.length;
  const tree = build(columns.parent);
  const isError = (span: number) => dictionaries.status[columns.status[span] ?? -1] === "STATUS_CODE_ERROR";
  const outside = new Uint8Array(size);
  const end = (span: number) => (columns.offset_ns[span] ?? 0) + (columns.duration_ns[span] ?? 0);
  for (let i = 0; i < size; i++) {
    const p = tree.parent[i] ?? -1;
    if (p >= 0 && ((columns.offset_ns[i] ?? 0) < (columns.offset_ns[p] ?? 0) || end(i) > end(p))) outside[i] = 1;
  }
  const errors = sums(tree, Int32Array.from({ length: size }, (_, i) => Number(isError(i))));
  return { trace, size, tree, errors, against: sums(tree, columns.verdicts.against), outside, isError };
}

/** The tree of the spans that are asked for. */
export function treeOf(model: Model, show: Show): Tree {
  const { columns, dictionaries } = model.trace;
  const marked = (holds: (span: number) => boolean) => Uint8Array.from({ length: model.size }, (_, i) => Number(holds(i)));
  switch (show) {
    case "all":
      return model.tree;
    case "llm":
      return narrow(model.tree, marked((i) => steps.has(dictionaries.type[columns.type[i] ?? -1] ?? "")));
    case "errors":
      return narrow(model.tree, withAncestors(model.tree, marked(model.isError)));
    case "against":
      return narrow(model.tree, withAncestors(model.tree, marked((i) => (columns.verdicts.against[i] ?? 0) > 0)));
  }
}

/** The same spans one after the other, by start. */
export const listOf = (tree: Tree): Tree => build(tree.parent.map(() => -1), Uint8Array.from(tree.row, (row) => Number(row >= 0)));

/** The spans whose name, service or model contains a text, in the order of rows. */
export function hitsOf(model: Model, tree: Tree, text: string): number[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const { columns, dictionaries } = model.trace;
  const matching = (list: readonly string[]) => new Set(list.flatMap((entry, i) => (entry.toLowerCase().includes(wanted) ? [i] : [])));
  const [names, services, models] = [matching(dictionaries.name), matching(dictionaries.service), matching(dictionaries.model)];
  return Array.from(tree.order).filter((i) => names.has(columns.name[i] ?? -1) || services.has(columns.service[i] ?? -1) || models.has(columns.model[i] ?? -1));
}

export const rowsOf = (tree: Tree, model: Model, folded: ReadonlySet<string>) => shown(tree, (span) => folded.has(model.trace.columns.span_id[span] ?? ""));

/** The spans above one, so that it can be unfolded into sight. */
export function above(tree: Tree, span: number): number[] {
  const list: number[] = [];
  for (let at = tree.parent[span] ?? -1; at >= 0; at = tree.parent[at] ?? -1) list.push(at);
  return list;
}
