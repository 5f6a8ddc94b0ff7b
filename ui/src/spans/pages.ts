// SPDX-License-Identifier: Apache-2.0

import { useEffect, useRef, useState } from "preact/hooks";
import { Refusal } from "../api/http";
import { readSpans, type Row, type RowPage, type SpanQuery } from "../api/spans";
import { countdown } from "../session";

export type First = { query: SpanQuery; page: RowPage };

/** More rows of the same query, of pages after the first, and how reading the next one goes. */
type Rest = { of: First; rows: readonly Row[]; cursor: string; busy: boolean; error?: Refusal; retryIn?: number };

export type Pages = {
  rows: readonly Row[];
  /** Whether there are more than these. */
  more: boolean;
  busy: boolean;
  error?: Refusal;
  retryIn?: number;
  /** Loads the next page, where nothing does already. */
  load: () => void;
  /** Loads it at once, also where a try waits for its time. */
  again: () => void;
};

const longestWait = 30; // seconds

/** The rows of the pages that were loaded, and what loads the next one. What passes by itself is tried again; what is of another query is given up. */
export function usePages(environment: string, first: First | undefined): Pages {
  const [kept, setRest] = useState<Rest>();
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => (running.current?.abort(), (running.current = undefined)), [environment, first]);
  const rest = first === undefined ? undefined : kept?.of === first ? kept : { of: first, rows: first.page.rows, cursor: first.page.next_cursor, busy: false };

  const read = async (of: Rest) => {
    const left = new AbortController();
    running.current = left;
    const { rows, cursor } = of;
    const tell = (change: Partial<Rest>) => left.signal.aborted || setRest({ of: of.of, rows, cursor, busy: true, ...change });
    tell({});
    for (let wait = 2; !left.signal.aborted; wait = Math.min(2 * wait, longestWait)) {
      try {
        const page = await readSpans(environment, of.of.query, cursor, left.signal);
        tell({ rows: [...rows, ...page.rows], cursor: page.next_cursor, busy: false });
        break;
      } catch (e) {
        const error = e instanceof Refusal ? e : new Refusal(0, String(e));
        tell({ error, busy: error.passes });
        if (!error.passes) return; // it stays until somebody wants another try
        await countdown(error.retryAfter ?? wait, (retryIn) => tell({ error, retryIn }));
      }
    }
    if (running.current === left) running.current = undefined;
  };
  const load = () => {
    if (rest !== undefined && rest.cursor !== "" && running.current === undefined) void read(rest);
  };
  const again = () => {
    running.current?.abort();
    running.current = undefined;
    load();
  };
  const { error, retryIn } = rest ?? {};
  return {
    rows: rest?.rows ?? [], more: rest !== undefined && rest.cursor !== "", busy: rest?.busy === true, load, again,
    ...(error === undefined ? {} : { error }), ...(retryIn === undefined ? {} : { retryIn }),
  };
}
