// SPDX-License-Identifier: Apache-2.0

import { useEffect, useState } from "preact/hooks";
import { ofSpans } from "../api/figures";
import { type Named, periods } from "../period/period";
import { seen } from "../seen";
import { Sending } from "../sending/sending";
import { texts } from "../texts";
import { count } from "../text/format";
import { change } from "../url";
import { useLoaded } from "../use";
import type { Wanted } from "./state";

const t = texts.spans;
const every = 3000; // milliseconds between looks for the first span
const wider: readonly Named[] = ["24h", "30d"];

/** What is said where no span matches: which longer period has some; and in an environment that has none yet how to send them, until the first one comes. */
export function Nothing(props: { environment: string; wanted: Wanted; onFirst: () => void }) {
  const { environment, wanted: w } = props;
  const filtered = w.filters.length > 0;
  const [looks, setLooks] = useState(0);
  const found = useLoaded(
    async (signal) => {
      const now = Math.floor(Date.now() / 1000);
      const counts = wider.map(async (period) => {
        const figures = await ofSpans(environment, { from: now - periods[period], to: undefined, filters: w.filters, measures: ["count"] }, signal);
        return { period, n: figures.total.count ?? 0 };
      });
      return (await Promise.all(counts)).filter((c) => c.n > 0 && c.period !== w.period)[0];
    },
    [environment, JSON.stringify([w.period, w.filters]), looks],
  );
  const loaded = "data" in found;
  const waits = loaded && !filtered && found.data === undefined;
  useEffect(() => {
    if (!waits) return;
    const left = new AbortController();
    const look = () => void seen(left.signal).then(() => left.signal.aborted || setLooks(looks + 1));
    const timer = setTimeout(look, every);
    return () => (clearTimeout(timer), left.abort());
  }, [waits, looks]);
  const first = !filtered && looks > 0 && found.data !== undefined;
  useEffect(() => {
    if (first) props.onFirst();
  }, [first]);
  return (
    <div class="empty">
      <p>{filtered ? t.noMatch : waits ? t.noneYet : t.none}</p>
      {(filtered || found.data !== undefined) && (
        <p class="actions">
          {found.data !== undefined && (
            <button onClick={() => change({ t: found.data?.period ?? "30d", from: "", to: "" })}>{t.elsewhere(count(found.data.n), texts.period.last[found.data.period])}</button>
          )}
          {filtered && <button onClick={() => change({ filters: "" })}>{t.clear}</button>}
        </p>
      )}
      {waits && (
        <>
          <Sending environment={environment} />
          <p class="hint" role="status">
            {t.waitsForFirst}
          </p>
        </>
      )}
    </div>
  );
}
