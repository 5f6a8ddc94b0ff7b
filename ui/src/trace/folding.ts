// SPDX-License-Identifier: Apache-2.0

// What of a trace is folded away.

import { useMemo, useState } from "preact/hooks";
import { above, alikeOf, type Model, rowsOf, runsAround } from "./model";
import { type Runs, runsOf, type Tree } from "./tree";

export type Folding = {
  /** The spans of the rows. */
  rows: Int32Array;
  runs: Runs;
  folded: (span: number) => boolean;
  /** Whether the run of a first span is one row: it is until a user opens it. */
  closed: (head: number) => boolean;
  fold: (span: number, on: boolean) => void;
  close: (head: number, on: boolean) => void;
  /** Unfolds what keeps a span from being shown. */
  unhide: (span: number) => void;
};

const changed = (set: ReadonlySet<string>, ids: readonly string[], on: boolean): ReadonlySet<string> => {
  if (ids.every((id) => set.has(id) === on)) return set;
  const next = new Set(set);
  for (const id of ids) on ? next.add(id) : next.delete(id);
  return next;
};

/** Keeps what is folded, by ids of spans, so that it stays when spans come. In a list, which has no levels, nothing is. */
export function useFolding(model: Model, tree: Tree, isList: boolean): Folding {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const idOf = (span: number) => model.trace.columns.span_id[span] ?? "";
  const runs = useMemo(() => (isList ? runsOf(tree, () => false, 1) : alikeOf(model, tree)), [model, tree, isList]);
  const rows = useMemo(() => rowsOf(tree, model, folded, runs, opened), [tree, model, folded, runs, opened]);
  return {
    rows,
    runs,
    folded: (span) => folded.has(idOf(span)),
    closed: (head) => !opened.has(idOf(head)),
    fold: (span, on) => setFolded(changed(folded, [idOf(span)], on)),
    close: (head, on) => setOpened(changed(opened, [idOf(head)], !on)),
    unhide: (span) => {
      setFolded(changed(folded, above(tree, span).map(idOf), false));
      setOpened(changed(opened, runsAround(tree, runs, span).filter((head) => head !== span).map(idOf), true));
    },
  };
}
