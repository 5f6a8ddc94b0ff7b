// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { ofSpans } from "../api/figures";
import { StackedBars } from "../chart/bars";
import { boundsOf, stepOf } from "../period/period";
import { texts } from "../texts";
import { format, place } from "../url";
import { useLoaded } from "../use";
import type { Wanted } from "./state";

const t = texts.spans;
const parts = 60;

/** When the spans of the list were, split by what became of them; a bar leads to its period. It never keeps the list waiting. */
export function Histogram(props: { environment: string; wanted: Wanted; round: number }) {
  const { environment, wanted: w } = props;
  const [by, setBy] = useState<"status" | "against">("status");
  const bars = useLoaded(
    async (signal) => {
      const { from, to } = boundsOf(w.period);
      const step = stepOf(from, to ?? Math.floor(Date.now() / 1000), parts);
      const figures = await ofSpans(environment, { from, to, filters: w.filters, step, measures: ["count", by === "status" ? "errors" : "against"] }, signal);
      return { figures, step, by };
    },
    [environment, JSON.stringify([w.period, w.filters]), by, props.round],
  );
  if (bars.data === undefined) return <div class="chart-room" aria-hidden="true" />;
  const { figures, step } = bars.data;
  const bad = (bars.data.by === "status" ? figures.series?.errors : figures.series?.against) ?? [];
  const { params } = place.value;
  return (
    <StackedBars
      name={t.histogram}
      times={figures.times}
      step={step}
      small
      parts={[
        { name: bars.data.by === "status" ? t.split.well : t.split.notAgainst, kind: "plain", values: (figures.series?.count ?? []).map((n, i) => (n ?? 0) - (bad[i] ?? 0)) },
        { name: bars.data.by === "status" ? t.split.errors : t.split.against, kind: "failed", values: bad },
      ]}
      href={(at) => format({ path: ["spans"], params: { ...params, t: "", from: String(at), to: String(at + step) } })}
    >
      <label class="inline">
        {t.splitBy}{" "}
        <select value={by} onChange={(e) => setBy(e.currentTarget.value === "against" ? "against" : "status")}>
          <option value="status">{t.split.status}</option>
          <option value="against">{t.split.verdicts}</option>
        </select>
      </label>
    </StackedBars>
  );
}
