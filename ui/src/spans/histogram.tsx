// SPDX-License-Identifier: Apache-2.0

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Figures, ofSpans } from "../api/figures";
import { type BarPart, StackedBars } from "../chart/bars";
import type { Filter } from "../api/spans";
import { boundsOf, periodParams, stepOf } from "../period/period";
import { failedFilter, filtersParam } from "../filter/filter";
import { bind } from "../shell/keys";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { texts } from "../texts";
import { count, duration } from "../text/format";
import { beginning } from "../text/visible";
import { change, format, type Params, place } from "../url";
import { useLoaded } from "../use";
import { type Wanted, wanted } from "./state";

const t = texts.spans;
const parts = 60;
const most = 4; // groups that have a colour of their own

const splits = { status: t.split.status, against: t.split.verdicts, service_name: t.split.service, "llm.request.model": t.split.model, duration: t.split.duration } as const;
type Split = keyof typeof splits;
const isSplit = (by: string): by is Split => Object.hasOwn(splits, by);

type Read = { figures: Figures; judged: Figures | undefined; step: number; by: Split };

/** Bounds of the rows of durations, in milliseconds, with the measures of what takes longer. */
const bounds = [
  [10, "over_10ms"], [30, "over_30ms"], [100, "over_100ms"], [300, "over_300ms"], [1000, "over_1s"], [3000, "over_3s"], [10_000, "over_10s"], [30_000, "over_30s"], [100_000, "over_100s"],
] as const;

const less = (from: readonly (number | null)[], part: readonly (number | null)[]) => from.map((n, i) => Math.max(0, (n ?? 0) - (part[i] ?? 0)));

/** How many spans took how long; leads goes to those of one row and step. */
function durationsOf(figures: Figures, leads: (at: number, more: readonly Filter[]) => string): BarPart[] {
  const over = [figures.series?.count ?? [], ...bounds.map(([, measure]) => figures.series?.[measure] ?? [])];
  return over.map((longer, i) => {
    const [from, to] = [bounds[i - 1]?.[0], bounds[i]?.[0]];
    const filters: Filter[] = [
      ...(from === undefined ? [] : [{ id: "duration", operator: "greater_than", value: from } as const]),
      ...(to === undefined ? [] : [{ id: "duration", operator: "less_than_or_equal", value: to } as const]),
    ];
    const name = to === undefined ? t.split.over(duration(from ?? 0)) : t.split.upTo(duration(to));
    return { name, kind: "heat", values: to === undefined ? longer : less(longer, over[i + 1] ?? []), href: (at) => leads(at, filters) };
  });
}

function partsOf({ figures, judged, by }: Read, leads: (at: number, more: readonly Filter[]) => string): BarPart[] {
  if (by === "duration") return durationsOf(figures, leads);
  const { count: all = [], errors = [], against = [] } = figures.series ?? {};
  if (by === "status") {
    return [{ name: t.split.well, kind: "plain", values: less(all, errors) }, { name: t.split.errors, kind: "failed", values: errors }];
  }
  if (by === "against") {
    const done = judged?.series?.count ?? [];
    return [{ name: t.split.none, kind: "plain", values: less(all, done) }, { name: t.split.notAgainst, kind: "for", values: less(done, against) }, { name: t.split.against, kind: "failed", values: against }];
  }
  const list = figures.groups.map((g, i) => ({ name: g.keys[0] ? beginning(g.keys[0], 40) : t.split.without, kind: "group" + i, values: g.series?.count ?? [] }));
  return figures.other ? [...list, { name: t.split.others, kind: "plain", values: figures.other.series?.count ?? [] }] : list;
}

/** How many of the spans failed, and against how many a verdict speaks. */
function Sums(props: { figures: Figures; onAgainst: () => void }) {
  const { errors, against } = props.figures.total;
  const { path, params } = place.value;
  const list = [...wanted(params).filters.filter((f) => f.id !== failedFilter.id), failedFilter];
  return (
    <p class="hint sums-of">
      {(errors ?? 0) > 0 ? <Link href={format({ path, params: { ...params, filters: filtersParam(list) } })}>{t.errors(count(errors ?? 0), errors ?? 0)}</Link> : t.errors("0", 0)}
      {", "}
      {(against ?? 0) > 0 ? (
        <button class="value" onClick={props.onAgainst}>
          {t.against(count(against ?? 0))}
        </button>
      ) : (
        t.against("0")
      )}
    </p>
  );
}

/** When the spans of the list were, split by what became of them or who they are of. Drawing over bars leads to their period, and back. It never keeps the list waiting. */
export function Histogram(props: { environment: string; wanted: Wanted; round: number; /** Called with the number of spans. */ onCount?: (n: number) => void }) {
  const { environment, wanted: w } = props;
  const [by, setBy] = useState<Split>("status");
  const before = useRef<Params[]>([]); // periods that the user has zoomed into from
  const bars = useLoaded<Read>(
    async (signal) => {
      const { from, to } = boundsOf(w.period);
      const step = stepOf(from, to ?? Math.floor(Date.now() / 1000), parts);
      const asked = { from, to, filters: w.filters, step };
      const grouped = by === "status" || by === "against" || by === "duration" ? {} : { by: [by], top: most };
      const durations = by === "duration" ? bounds.map(([, measure]) => measure) : [];
      const [figures, judged] = await Promise.all([
        ofSpans(environment, { ...asked, ...grouped, measures: ["count", "errors", "against", ...durations] }, signal),
        by === "against" ? ofSpans(environment, { ...asked, filters: [...w.filters, { id: "touchstone.evaluation.status", operator: "equals", value: "done" }], measures: ["count"] }, signal) : undefined,
      ]);
      if (figures.total.count !== null && figures.total.count !== undefined) props.onCount?.(figures.total.count);
      return { figures, judged, step, by };
    },
    [environment, JSON.stringify([w.period, w.filters]), by, props.round],
  );
  const back = () => {
    const last = before.current.pop();
    if (last !== undefined) change(last);
  };
  useLayoutEffect(() => (w.selected === undefined ? bind("Escape", back) : undefined), [w.selected === undefined]);
  if (bars.data === undefined) return bars.error === undefined ? <div class="chart-room" aria-hidden="true" /> : <Problem of={bars} />;
  const { figures, step } = bars.data;
  const { path, params } = place.value;
  const zoom = (from: number, last: number) => {
    before.current.push(periodParams(w.period));
    change(periodParams({ from, to: last + step }));
  };
  return (
    <>
    <Problem of={bars} />
    <StackedBars
      name={t.histogram}
      times={figures.times}
      step={step}
      small={bars.data.by !== "duration"}
      heat={bars.data.by === "duration"}
      parts={partsOf(bars.data, (at, more) =>
        format({ path, params: { ...params, t: "", from: String(at), to: String(at + step), filters: filtersParam([...w.filters.filter((f) => f.id !== "duration"), ...more]) } }))}
      href={(at) => format({ path, params: { ...params, t: "", from: String(at), to: String(at + step) } })}
      onRange={zoom}
      onBack={back}
    >
      <Sums figures={figures} onAgainst={() => setBy("against")} />
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
    </>
  );
}
