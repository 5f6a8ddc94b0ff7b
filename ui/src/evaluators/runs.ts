// SPDX-License-Identifier: Apache-2.0

// Runs of evaluators that the user starts on a page.

import { useEffect, useRef, useState } from "preact/hooks";
import { texts } from "../texts";
import type { Result } from "./results";

/** What a run came to, without what is known when it begins. */
export type Outcome = Omit<Result, "id" | "run" | "backend" | "cancel">;

/** The runs of a page, the newest first, of which so many stay. Those that are under way end with the page. */
export function useRuns(most: number) {
  const [list, setList] = useState<readonly Result[]>([]);
  const underWay = useRef(new Set<AbortController>());
  const number = useRef(0);
  useEffect(() => () => underWay.current.forEach((u) => u.abort()), []);

  /** A number for runs that are asked for together. */
  const next = () => ++number.current;

  /** Begins one, and returns why it has no outcome; undefined where it has one or was cancelled. */
  const begin = async (run: number, backend: string, ask: (signal: AbortSignal) => Promise<Outcome>): Promise<string | undefined> => {
    const leave = new AbortController();
    underWay.current.add(leave);
    const id = next();
    const set = (part: Outcome) => setList((before) => before.map((r) => (r.id === id ? { ...r, ...part } : r)));
    setList((before) => [{ id, run, backend, cancel: () => leave.abort() }, ...before].slice(0, most));
    try {
      set(await ask(leave.signal));
      return undefined;
    } catch (e) {
      const error = leave.signal.aborted ? texts.evaluators.cancelled : e instanceof Error ? e.message : String(e);
      set({ error });
      return leave.signal.aborted ? undefined : error;
    } finally {
      underWay.current.delete(leave);
    }
  };
  return { list, next, begin };
}
