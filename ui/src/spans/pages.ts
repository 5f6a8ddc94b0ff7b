// SPDX-License-Identifier: Apache-2.0

import { useRef, useState } from "preact/hooks";
import { readSpans, type Row, type RowPage, type SpanQuery } from "../api/spans";

export type First = { query: SpanQuery; page: RowPage };

/** More rows of the same query, of pages after the first. */
type Rest = { of: First; rows: Row[]; cursor: string };

export type Pages = {
  rows: readonly Row[];
  /** Whether there are more than these. */
  more: boolean;
  busy: boolean;
  error: string;
  load: () => Promise<void>;
};

/** The rows of the pages that were loaded, and what loads the next one. */
export function usePages(environment: string, first: First | undefined): Pages {
  const [rest, setRest] = useState<Rest>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const running = useRef<First | undefined>(undefined);
  const added = rest !== undefined && rest.of === first ? rest : undefined;
  const cursor = added?.cursor ?? first?.page.next_cursor ?? "";
  const rows = first === undefined ? [] : added === undefined ? first.page.rows : added.rows;
  const load = async () => {
    if (first === undefined || cursor === "" || running.current === first) return;
    running.current = first;
    setBusy(true);
    setError("");
    try {
      const page = await readSpans(environment, first.query, cursor, new AbortController().signal);
      setRest({ of: first, rows: [...rows, ...page.rows], cursor: page.next_cursor });
    } catch (e) {
      setError(e instanceof Error ? e.message : String(e));
    }
    running.current = undefined;
    setBusy(false);
  };
  return { rows, more: cursor !== "", busy, error, load };
}
