// SPDX-License-Identifier: Apache-2.0

// Long lists: only those rows that are seen are in the page.

import {
  defaultRangeExtractor, elementScroll, observeElementOffset, observeElementRect, observeWindowOffset, observeWindowRect, type Range, type VirtualItem,
  Virtualizer, windowScroll,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

export type Rows = {
  items: readonly VirtualItem[];
  /** Height of all rows in pixels. */
  total: number;
  /** Scrolls no more than is needed to see a row, or so that it stands in the middle. */
  reveal: (index: number, where?: "auto" | "center") => void;
};

/** The rows that are seen, and the active one. */
const withActive = (active: number, count: number) => (range: Range) => {
  const shown = defaultRangeExtractor(range);
  if (active >= 0 && active < count && !shown.includes(active)) shown.push(active);
  return shown.sort((a, b) => a - b);
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
    rangeExtractor: withActive(active, count),
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

export type PageRows = {
  /** What stands one below the other: rows, and gaps of so many pixels in place of those that are not in the page. */
  parts: readonly ({ row: number } | { gap: number })[];
  /** Takes the element of a row, which has data-index, to learn its height. */
  measure: (row: Element | null) => void;
  reveal: (index: number) => void;
};

/** Says which rows are shown of a list that scrolls with the page; the active one always is. Heights differ, and are kept by key. */
export function usePageRows(box: RefObject<HTMLElement | null>, keys: readonly string[], height: number, active: number): PageRows {
  const [, again] = useReducer<number, void>((n) => n + 1, 0);
  const [margin, setMargin] = useState(0);
  const options = {
    count: keys.length,
    getScrollElement: () => window,
    estimateSize: () => height,
    getItemKey: (index: number) => keys[index] ?? index,
    overscan: 10,
    scrollMargin: margin,
    scrollPaddingStart: 48,
    scrollPaddingEnd: 48,
    initialOffset: () => window.scrollY,
    scrollToFn: windowScroll,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    onChange: () => again(),
    rangeExtractor: withActive(active, keys.length),
  };
  const [list] = useState(() => new Virtualizer<Window, Element>(options));
  list.setOptions(options);
  useLayoutEffect(() => list._didMount(), []);
  useLayoutEffect(() => list._willUpdate());
  // What stands above the list may have become higher or lower.
  useLayoutEffect(() => {
    const now = Math.round((box.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
    if (now !== margin) setMargin(now);
  });
  const parts: ({ row: number } | { gap: number })[] = [];
  let end = margin;
  for (const item of list.getVirtualItems()) {
    if (item.start > end) parts.push({ gap: item.start - end });
    parts.push({ row: item.index });
    end = item.end;
  }
  const left = list.getTotalSize() + margin - end;
  if (left > 0) parts.push({ gap: left });
  return { parts, measure: (row) => list.measureElement(row), reveal: (index) => list.scrollToIndex(index, { align: "auto" }) };
}
