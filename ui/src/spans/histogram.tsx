// SPDX-License-Identifier: Apache-2.0

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Figures, ofSpans } from "../api/figures";
import { type BarPart, StackedBars } from "../chart/bars";
import { boundsOf, periodParams, stepOf } from "../period/period";
import { bind } from "../shell/keys";
import { texts } from "../texts";
import { beginning } from "../text/visible";
import { change, format, type Params, place } from "../url";
import { useLoaded } from "../use";
import type { Wanted } from "./state";

const t = texts.spans;
const parts = 60;
const most = 4; // groups that have a colour of their own

const splits = { status: t.split.status, against: t.split.verdicts, service_name: t.split.service, "llm.request.model": t.split.model } as const;
type Split = keyof typeof splits;
const isSplit = (by: string): by is Split => Object.hasOwn(splits, by);

function partsOf(figures: Figures, by: Split): BarPart[] {
  if (by === "status" || by === "against") {
    const bad = (by === "status" ? figures.series?.errors : figures.series?.against) ?? [];
    return [
      { name: by === "status" ? t.split.well : t.split.notAgainst, kind: "plain", values: (figures.series?.count ?? []).map((n, i) => (n ?? 0) - (bad[i] ?? 0)) },
      { name: by === "status" ? t.split.errors : t.split.against, kind: "failed", values: bad },
    ];
  }
  const list = figures.groups.map((g, i) => ({ name: g.keys[0] ? beginning(g.keys[0], 40) : t.split.without, kind: "group" + i, values: g.series?.count ?? [] }));
  return figures.other ? [...list, { name: t.split.others, kind: "plain", values: figures.other.series?.count ?? [] }] : list;
}

/** When the spans of the list were, split by what became of them or who they are of. Drawing over bars leads to their period, and back. It never keeps the list waiting. */
export function Histogram(props: { environment: string; wanted: Wanted; round: number }) {
  const { environment, wanted: w } = props;
  const [by, setBy] = useState<Split>("status");
  const before = useRef<Params[]>([]); // periods that somebody has zoomed into from
  const bars = useLoaded(
    async (signal) => {
      const { from, to } = boundsOf(w.period);
      const step = stepOf(from, to ?? Math.floor(Date.now() / 1000), parts);
      const split = by === "status" ? { measures: ["count", "errors"] } : by === "against" ? { measures: ["count", "against"] } : { measures: ["count"], by: [by], top: most };
      const figures = await ofSpans(environment, { from, to, filters: w.filters, step, ...split }, signal);
      return { figures, step, by };
    },
    [environment, JSON.stringify([w.period, w.filters]), by, props.round],
  );
  const back = () => {
    const last = before.current.pop();
    if (last !== undefined) change(last);
  };
  useLayoutEffect(() => (w.selected === undefined ? bind("Escape", back) : undefined), [w.selected === undefined]);
  if (bars.data === undefined) return <div class="chart-room" aria-hidden="true" />;
  const { figures, step } = bars.data;
  const { params } = place.value;
  const zoom = (from: number, last: number) => {
    before.current.push(periodParams(w.period));
    change(periodParams({ from, to: last + step }));
  };
  return (
    <StackedBars
      name={t.histogram}
      times={figures.times}
      step={step}
      small
      parts={partsOf(figures, bars.data.by)}
      href={(at) => format({ path: ["spans"], params: { ...params, t: "", from: String(at), to: String(at + step) } })}
      onRange={zoom}
      onBack={back}
    >
      <label class="inline">
        {t.splitBy}{" "}
        <select value={by} onChange={(e) => isSplit(e.currentTarget.value) && setBy(e.currentTarget.value)}>
          {Object.entries(splits).map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {before.current.length > 0 && (
        <button class="quiet" onClick={back}>
          {texts.period.back}
        </button>
      )}
    </StackedBars>
  );
}
