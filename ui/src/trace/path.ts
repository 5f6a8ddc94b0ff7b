// SPDX-License-Identifier: Apache-2.0

// The critical path of a trace: the spans that its duration depends on.

import type { Tree } from "./tree";

/** Marks the spans that the end of the longest root waited for: of those below a span the one that ended last, then the one that ended last before that began, and so on. */
export function criticalPath(tree: Tree, offsets: readonly number[], durations: readonly number[]): Uint8Array {
  const marks = new Uint8Array(offsets.length);
  const begin = (span: number) => offsets[span] ?? 0;
  const end = (span: number) => begin(span) + (durations[span] ?? 0);
  const below = new Map<number, number[]>();
  for (const span of tree.order) {
    const parent = tree.parent[span] ?? -1;
    const list = below.get(parent);
    if (list === undefined) below.set(parent, [span]);
    else list.push(span);
  }
  const roots = below.get(-1) ?? [];
  const [first] = roots;
  if (first === undefined) return marks;
  const left = [{ span: roots.reduce((a, b) => ((durations[b] ?? 0) > (durations[a] ?? 0) ? b : a), first), until: Infinity }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { span } = next;
    marks[span] = 1;
    // What a span did not wait for goes on after its end, and does not count.
    let until = Math.min(end(span), next.until);
    for (const child of (below.get(span) ?? []).sort((a, b) => end(b) - end(a))) {
      if (end(child) > until || begin(child) < begin(span)) continue;
      left.push({ span: child, until });
      until = begin(child);
    }
  }
  return marks;
}
