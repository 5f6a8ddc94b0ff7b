// SPDX-License-Identifier: Apache-2.0

// Long lists: of rows of one height only those that are seen are in the page.

import { defaultRangeExtractor, elementScroll, observeElementOffset, observeElementRect, type Range, type VirtualItem, Virtualizer } from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

export type Rows = {
  items: readonly VirtualItem[];
  /** Height of all rows in pixels. */
  total: number;
  /** Scrolls no more than is needed to see a row, or so that it stands in the middle. */
  reveal: (index: number, where?: "auto" | "center") => void;
};

/** Says which of count rows are shown inside a box; the active one always is. */
export function useRows(box: RefObject<HTMLElement | null>, count: number, height: number, active: number): Rows {
  const [, again] = useReducer<number, void>((n) => n + 1, 0);
  const options = {
    count,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 12,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => again(),
    rangeExtractor: (range: Range) => {
      const shown = defaultRangeExtractor(range);
      if (active >= 0 && active < count && !shown.includes(active)) shown.push(active);
      return shown.sort((a, b) => a - b);
    },
  };
  const [list] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  list.setOptions(options);
  useLayoutEffect(() => list._didMount(), []);
  useLayoutEffect(() => list._willUpdate());
  useLayoutEffect(() => list.measure(), [height]);
  return {
    items: list.getVirtualItems(),
    total: list.getTotalSize(),
    reveal: (index, where = "auto") => list.scrollToIndex(index, { align: where }),
  };
}
