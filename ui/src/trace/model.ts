// SPDX-License-Identifier: Apache-2.0

// What is known of a trace, made ready to be shown.

import type { Trace } from "../api/traces";
import { criticalPath } from "./path";
import { cutOf, type Cut } from "./time";
import { build, hidden, narrow, type Runs, runsOf, shown, sums, type Tree, withAncestors } from "./tree";

export const shows = ["all", "llm", "path", "errors", "against"] as const;
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
  /** The time in which nothing was done, where that is most of the trace. */
  cut: Cut | undefined;
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
  return { trace, size, tree, errors, against: sums(tree, columns.verdicts.against), outside, cut: cutOf(columns.offset_ns, columns.duration_ns), isError };
}

const marked = (model: Model, holds: (span: number) => boolean) => Uint8Array.from({ length: model.size }, (_, i) => Number(holds(i)));

const isStep = (model: Model, span: number) => steps.has(model.trace.dictionaries.type[model.trace.columns.type[span] ?? -1] ?? "");

/** The tree of the spans that are asked for. */
export function treeOf(model: Model, show: Show): Tree {
  const { columns } = model.trace;
  switch (show) {
    case "all":
      return model.tree;
    case "llm":
      return narrow(model.tree, marked(model, (i) => isStep(model, i)));
    case "path":
      return narrow(model.tree, criticalPath(model.tree, columns.offset_ns, columns.duration_ns));
    case "errors":
      return narrow(model.tree, withAncestors(model.tree, marked(model, model.isError)));
    case "against":
      return narrow(model.tree, withAncestors(model.tree, marked(model, (i) => (columns.verdicts.against[i] ?? 0) > 0)));
  }
}

/** How many spans are left out below each step of a model's work. */
export const leftOut = (model: Model) => hidden(model.tree, marked(model, (i) => isStep(model, i)));

const leastAlike = 21; // siblings that are folded into one row

/** The runs of siblings with the same name, type and service. */
export function alikeOf(model: Model, tree: Tree): Runs {
  const { name, type, service } = model.trace.columns;
  return runsOf(tree, (a, b) => name[a] === name[b] && type[a] === type[b] && service[a] === service[b], leastAlike);
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

/** The rows that are shown: what is folded away and runs that no one has opened are not. Both are known by ids of spans. */
export function rowsOf(tree: Tree, model: Model, folded: ReadonlySet<string>, runs?: Runs, opened?: ReadonlySet<string>): Int32Array {
  const idOf = (span: number) => model.trace.columns.span_id[span] ?? "";
  return shown(tree, (span) => folded.has(idOf(span)), runs, (head) => opened?.has(idOf(head)) !== true);
}

/** The spans above one, so that it can be unfolded into sight. */
export function above(tree: Tree, span: number): number[] {
  const list: number[] = [];
  for (let at = tree.parent[span] ?? -1; at >= 0; at = tree.parent[at] ?? -1) list.push(at);
  return list;
}

/** The first ones of the runs that a span is in, or those above it. */
export function runsAround(tree: Tree, runs: Runs, span: number): number[] {
  return [span, ...above(tree, span)].map((s) => runs.head[s] ?? -1).filter((head) => head >= 0);
}

/** What a closed run comes to: when the last one of it ended, and how many errors and verdicts against are in it. */
export function sumOfRun(model: Model, tree: Tree, runs: Runs, head: number): { end: number; errors: number; against: number } {
  const { offset_ns, duration_ns } = model.trace.columns;
  const sum = { end: 0, errors: 0, against: 0 };
  for (let row = tree.row[head] ?? 0; row < (runs.after[head] ?? 0); row = tree.after[row] ?? row + 1) {
    const span = tree.order[row] ?? 0;
    sum.end = Math.max(sum.end, (offset_ns[span] ?? 0) + (duration_ns[span] ?? 0));
    sum.errors += model.errors[span] ?? 0;
    sum.against += model.against[span] ?? 0;
  }
  return sum;
}
