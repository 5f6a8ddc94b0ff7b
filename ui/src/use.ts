// SPDX-License-Identifier: Apache-2.0

// Data of screens: loaded when shown, aborted when no longer wanted.

import { useEffect, useState } from "preact/hooks";
import { Refusal } from "./api/http";
import { countdown } from "./session";

export type Loaded<T> = {
  /** What came last, while newer data are on their way. */
  data?: T;
  error?: Refusal;
  /** Seconds until the next try by itself. */
  retryIn?: number;
  /** Whether something newer is on its way. */
  busy: boolean;
  again: () => void;
};

function withoutError<T>({ error: _, retryIn: __, ...rest }: Omit<Loaded<T>, "again">): Omit<Loaded<T>, "again"> {
  return rest;
}

/** Loads, and loads again when one of the keys changes. What passes by itself is tried again. */
export function useLoaded<T>(read: (signal: AbortSignal) => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, "again">>({ busy: true });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const left = new AbortController();
    const load = async () => {
      setState((before) => (before.busy && before.error === undefined ? before : { ...withoutError(before), busy: true }));
      for (let wait = 2; !left.signal.aborted; wait = Math.min(2 * wait, 30)) {
        try {
          setState({ data: await read(left.signal), busy: false });
          return;
        } catch (e) {
          if (left.signal.aborted) return;
          const error = e instanceof Refusal ? e : new Refusal(0, String(e));
          setState((before) => ({ ...before, error, busy: error.passes }));
          if (!error.passes) return;
          await countdown(error.retryAfter ?? wait, (retryIn) => {
            if (!left.signal.aborted) setState((before) => ({ ...before, error, retryIn }));
          });
        }
      }
    };
    void load();
    return () => left.abort();
  }, [...keys, round]);
  return { ...state, again: () => setRound(round + 1) };
}

const settling = 400; // milliseconds

/** What a value was the last time that it did not change for a while, such as while a user types. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settling);
    return () => clearTimeout(timer);
  }, [JSON.stringify(value)]);
  return settled;
}
