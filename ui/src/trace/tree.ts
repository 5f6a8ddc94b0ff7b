// SPDX-License-Identifier: Apache-2.0

// The tree of a trace. Senders decide what a span's parent is: it may be
// missing, or lead in a circle. Every span is in the tree once all the same.

export type Tree = {
  /** Spans in the order of rows: each before those below it. */
  order: Int32Array;
  /** Of each row, the row after all that is below it. */
  after: Int32Array;
  /** Of each span its row, -1 where it is left out. */
  row: Int32Array;
  /** Of each span the span above it in this tree, -1 for none. */
  parent: Int32Array;
  /** Of each span how many are above it. */
  depth: Int32Array;
  /** Of each span its place among those of the same parent, from 1, and how many they are. */
  place: Int32Array;
  siblings: Int32Array;
  /** Of each span whether its parents lead in a circle that begins, for this tree, with it. */
  circle: Uint8Array;
};

const get = (list: ArrayLike<number>, i: number) => list[i] ?? -1;

/** The span with which each circle begins: the first of it by start. */
function circles(parent: Int32Array): Uint8Array {
  const heads = new Uint8Array(parent.length);
  const seen = new Int32Array(parent.length); // 0, or from which span it was come by, from 1
  for (let from = 0; from < parent.length; from++) {
    let at = from;
    while (at >= 0 && seen[at] === 0) {
      seen[at] = from + 1;
      at = get(parent, at);
    }
    if (at < 0 || seen[at] !== from + 1) continue;
    let first = at;
    for (let next = get(parent, at); next !== at; next = get(parent, next)) first = Math.min(first, next);
    heads[first] = 1;
  }
  return heads;
}

/** Builds the tree of spans that are in the order of their start. */
export function build(parents: ArrayLike<number>, included?: Uint8Array): Tree {
  const n = parents.length;
  const parent = new Int32Array(n).fill(-1);
  const isIn = (i: number) => i >= 0 && i < n && (included === undefined || included[i] === 1);
  for (let i = 0; i < n; i++) if (isIn(i) && isIn(get(parents, i))) parent[i] = get(parents, i);
  const circle = circles(parent);
  for (let i = 0; i < n; i++) if (circle[i] === 1) parent[i] = -1;

  // Children of span i stand in children[begin[i]] up to begin[i + 1]; those of none come last.
  const begin = new Int32Array(n + 2);
  const group = (i: number) => (get(parent, i) < 0 ? n : get(parent, i));
  let total = 0;
  for (let i = 0; i < n; i++) if (isIn(i)) begin[group(i) + 1]!++, total++;
  for (let g = 0; g <= n; g++) begin[g + 1]! += begin[g]!;
  const children = new Int32Array(total);
  const filled = begin.slice();
  for (let i = 0; i < n; i++) if (isIn(i)) children[filled[group(i)]!++] = i;

  const zeros = () => new Int32Array(n);
  const tree: Tree = { order: new Int32Array(total), after: new Int32Array(total), row: zeros().fill(-1), parent, depth: zeros(), place: zeros(), siblings: zeros(), circle };
  const stack: number[] = [];
  const push = (g: number) => {
    const [from, to] = [get(begin, g), get(begin, g + 1)];
    for (let c = to - 1; c >= from; c--) {
      const child = get(children, c);
      tree.place[child] = c - from + 1;
      tree.siblings[child] = to - from;
      tree.depth[child] = g === n ? 0 : get(tree.depth, g) + 1;
      stack.push(child);
    }
  };
  push(n);
  for (let row = 0; stack.length > 0; row++) {
    const span = stack.pop()!;
    tree.order[row] = span;
    tree.row[span] = row;
    push(span);
  }
  for (let row = total - 1; row >= 0; row--) {
    let end = row + 1;
    while (end < total && get(tree.depth, get(tree.order, end)) > get(tree.depth, get(tree.order, row))) end = get(tree.after, end);
    tree.after[row] = end;
  }
  return tree;
}

/** The tree of the spans that are kept: each below the next one above it that is kept. */
export function narrow(tree: Tree, keep: Uint8Array): Tree {
  const above = new Int32Array(tree.parent.length).fill(-1);
  for (const span of tree.order) {
    const p = get(tree.parent, span);
    above[span] = p < 0 || keep[p] === 1 ? p : get(above, p);
  }
  return build(above, keep);
}

/** Marks, besides those that are marked, all that are above them. */
export function withAncestors(tree: Tree, marked: Uint8Array): Uint8Array {
  const all = marked.slice();
  for (let row = tree.order.length - 1; row >= 0; row--) {
    const span = get(tree.order, row);
    const p = get(tree.parent, span);
    if (all[span] === 1 && p >= 0) all[p] = 1;
  }
  return all;
}

/** For each span the sum of a column over it and all that is below it. */
export function sums(tree: Tree, column: ArrayLike<number>): Int32Array {
  const all = new Int32Array(tree.parent.length);
  for (let row = tree.order.length - 1; row >= 0; row--) {
    const span = get(tree.order, row);
    all[span]! += column[span] ?? 0;
    const p = get(tree.parent, span);
    if (p >= 0) all[p]! += all[span]!;
  }
  return all;
}

/** Runs of siblings, one after the other, that are alike. */
export type Runs = {
  /** Of each span the first one of its run, -1 where it is in none. */
  head: Int32Array;
  /** Of each first one how many there are, and the row after all of them. */
  size: Int32Array;
  after: Int32Array;
};

/** Finds the runs of at least so many siblings. */
export function runsOf(tree: Tree, alike: (a: number, b: number) => boolean, least: number): Runs {
  const n = tree.parent.length;
  const runs: Runs = { head: new Int32Array(n).fill(-1), size: new Int32Array(n), after: new Int32Array(n) };
  const level = (begin: number, end: number) => {
    for (let row = begin; row < end; ) {
      const head = get(tree.order, row);
      let size = 0;
      let next = row;
      for (; next < end && alike(head, get(tree.order, next)); next = get(tree.after, next)) size++;
      if (size >= least) {
        runs.size[head] = size;
        runs.after[head] = next;
        for (let r = row; r < next; r = get(tree.after, r)) runs.head[get(tree.order, r)] = head;
      }
      row = Math.max(next, row + 1);
    }
  };
  level(0, tree.order.length);
  for (let row = 0; row < tree.order.length; row++) level(row + 1, get(tree.after, row));
  return runs;
}

/** The spans of the rows that are shown when some spans and some runs, by their first one, are folded. */
export function shown(tree: Tree, folded: (span: number) => boolean, runs?: Runs, closed?: (head: number) => boolean): Int32Array {
  const rows = new Int32Array(tree.order.length);
  let n = 0;
  for (let row = 0; row < tree.order.length; ) {
    const span = get(tree.order, row);
    rows[n++] = span;
    if (runs !== undefined && get(runs.size, span) > 0 && closed?.(span)) row = get(runs.after, span);
    else row = folded(span) ? get(tree.after, row) : row + 1;
  }
  return rows.subarray(0, n);
}

/** For each span that is kept how many below it are left out, up to the next one that is kept. */
export function hidden(tree: Tree, keep: Uint8Array): Int32Array {
  const n = new Int32Array(tree.parent.length);
  const above = new Int32Array(tree.parent.length).fill(-1);
  for (const span of tree.order) {
    const p = get(tree.parent, span);
    above[span] = p < 0 || keep[p] === 1 ? p : get(above, p);
    if (keep[span] !== 1 && get(above, span) >= 0) n[get(above, span)]!++;
  }
  return n;
}

export const hasChildren = (tree: Tree, span: number) => get(tree.after, get(tree.row, span)) > get(tree.row, span) + 1;
