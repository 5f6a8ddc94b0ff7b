// SPDX-License-Identifier: Apache-2.0

import { useEffect, useState } from "preact/hooks";
import { seen } from "./seen";

/** Counts rounds of so many milliseconds while the page can be seen, for what is to be read again in each; again begins the next one at once. */
export function useRounds(every: number): { round: number; again: () => void } {
  const [round, setRound] = useState(0);
  const again = () => setRound((r) => r + 1);
  useEffect(() => {
    const left = new AbortController();
    const timer = setTimeout(() => void seen(left.signal).then(() => left.signal.aborted || again()), every);
    return () => (clearTimeout(timer), left.abort());
  }, [every, round]);
  return { round, again };
}
