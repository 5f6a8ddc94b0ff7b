// SPDX-License-Identifier: Apache-2.0

import { useEffect, useRef, useState } from "preact/hooks";
import { Refusal } from "../api/http";
import { countdown } from "../session";

type Page<R> = { rows: readonly R[]; next_cursor: string };

/** The first page of a list, and what reads the page behind a cursor. */
export type First<R> = { page: Page<R>; next: (cursor: string, signal: AbortSignal) => Promise<Page<R>> };

/** More rows of the same list, of pages after the first, and how reading the next one goes. */
type Rest<R> = { of: First<R>; rows: readonly R[]; cursor: string; busy: boolean; error?: Refusal; retryIn?: number };

export type Pages<R> = {
  rows: readonly R[];
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
export function usePages<R>(first: First<R> | undefined): Pages<R> {
  const [kept, setRest] = useState<Rest<R>>();
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => (running.current?.abort(), (running.current = undefined)), [first]);
  const rest = first === undefined ? undefined : kept?.of === first ? kept : { of: first, rows: first.page.rows, cursor: first.page.next_cursor, busy: false };

  const read = async (of: Rest<R>) => {
    const left = new AbortController();
    running.current = left;
    const { rows, cursor } = of;
    const tell = (change: Partial<Rest<R>>) => left.signal.aborted || setRest({ of: of.of, rows, cursor, busy: true, ...change });
    tell({});
    for (let wait = 2; !left.signal.aborted; wait = Math.min(2 * wait, longestWait)) {
      try {
        const page = await of.of.next(cursor, left.signal);
        tell({ rows: [...rows, ...page.rows], cursor: page.next_cursor, busy: false });
        break;
      } catch (e) {
        const error = e instanceof Refusal ? e : new Refusal(0, String(e));
        tell({ error, busy: error.passes });
        if (!error.passes) return; // it stays until the user wants another try
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
