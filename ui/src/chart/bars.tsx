// SPDX-License-Identifier: Apache-2.0

import type { ComponentChildren, TargetedPointerEvent } from "preact";
import { useState } from "preact/hooks";
import { zone } from "../shell/settings";
import { texts } from "../texts";
import { count, moment } from "../text/format";
import { go } from "../url";
import { ChartLink, type NumberRow, Numbers } from "./numbers";
import { label } from "./scale";
import { Times } from "./times";
import "./chart.css";

const t = texts.chart;
const height = 120;
const bar = 10; // units of width

export type BarPart = { name: string; /** Which colour it has. */ kind: string; values: readonly (number | null)[]; /** Where this part of a bar leads to. */ href?: (at: number) => string };

/** Counts over time, one bar for each step, its parts above one another. The same numbers stand in a table. */
export function StackedBars(props: {
  name: string;
  times: readonly number[];
  step: number;
  parts: readonly BarPart[];
  /** Where a bar leads to; left out where it leads nowhere. */
  href?: (at: number) => string;
  small?: boolean;
  /** Whether each part has a row of its own, the first one lowest, and its counts are shades. */
  heat?: boolean;
  /** Called with the times of the first and the last bar that the user has drawn over; and when the user wants the period before. */
  onRange?: (first: number, last: number) => void;
  onBack?: (() => void) | undefined;
  /** Choices next to the legend. */
  children?: ComponentChildren;
}) {
  const { times, parts, step } = props;
  const [table, setTable] = useState(false);
  const sums = times.map((_, i) => parts.reduce((sum, p) => sum + (p.values[i] ?? 0), 0));
  const most = Math.max(1, ...sums);
  const [drawn, setDrawn] = useState<{ begin: number; end: number }>();
  const at = (e: TargetedPointerEvent<SVGSVGElement>) => {
    const box = e.currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(times.length - 1, Math.floor(((e.clientX - box.left) / box.width) * times.length)));
  };
  const draws = props.onRange !== undefined && {
    onPointerDown: (e: TargetedPointerEvent<SVGSVGElement>) => {
      if (e.button !== 0 || e.pointerType === "touch") return; // a finger scrolls
      setDrawn({ begin: at(e), end: at(e) });
    },
    onPointerMove: (e: TargetedPointerEvent<SVGSVGElement>) => {
      if (drawn === undefined || at(e) === drawn.end) return;
      e.currentTarget.setPointerCapture(e.pointerId); // from here on it is no click on a bar
      setDrawn({ ...drawn, end: at(e) });
    },
    onPointerUp: () => {
      if (drawn === undefined) return;
      const [first, last] = [times[Math.min(drawn.begin, drawn.end)], times[Math.max(drawn.begin, drawn.end)]];
      setDrawn(undefined);
      if (first === last) return;
      if (first !== undefined && last !== undefined) props.onRange?.(first, last);
    },
    onPointerCancel: () => setDrawn(undefined),
    onDblClick: () => props.onBack?.(),
  };
  const leads = (p: BarPart, at: number) =>
    p.href === undefined || (props.onRange !== undefined && !props.heat)
      ? undefined
      : (e: Event) => {
          e.stopPropagation();
          go(p.href?.(at) ?? "");
        };
  const some = parts.map((p) => p.values.some((v) => (v ?? 0) > 0));
  // Rows between others are shown, too, so that their distances are true.
  const shown = props.heat ? parts.slice(Math.max(0, some.indexOf(true)), some.lastIndexOf(true) + 1) : parts.filter((_, i) => some[i]);
  const row = height / Math.max(1, shown.length);
  const densest = Math.max(1, ...parts.flatMap((p) => p.values.map((v) => v ?? 0)));
  return (
    <figure class="chart">
      <div class="legend-row">
        <ul class="legend-list" aria-hidden="true">
          {!props.heat && shown.map((p) => (
            <li key={p.name}>
              <span class={"swatch " + p.kind} /> {p.name}
            </li>
          ))}
        </ul>
        {props.children}
        <button class="quiet" aria-pressed={table} onClick={() => setTable(!table)}>
          {t.table}
        </button>
      </div>
      {table ? (
        <Numbers name={props.name} columns={shown.map((p) => p.name)} rows={rowsOf(times, shown, props.href)} />
      ) : (
        <div class="plot">
          <div class="scale" aria-hidden="true">
            <span>{props.heat ? shown.at(-1)?.name : count(most)}</span>
            <span>{props.heat ? shown[0]?.name : 0}</span>
          </div>
          <svg
            role="img"
            aria-label={t.bars(props.name, count(sums.reduce((a, b) => a + b, 0)))}
            viewBox={`0 0 ${Math.max(1, times.length) * bar} ${height}`}
            preserveAspectRatio="none"
            class={props.small ? "bars small" : "bars"}
            {...draws}
          >
            {times.map((at, i) => {
              let below = 0;
              return (
                <g key={at} onClick={() => (props.onRange ? props.onRange(at, at) : props.href && go(props.href(at)))}>
                  <title>{`${label(at, step, zone.value)}: ${count(sums[i] ?? 0)}`}</title>
                  <rect class="room" x={i * bar} y={0} width={bar} height={height} />
                  {props.heat && shown.map((p, nth) => {
                    const v = p.values[i] ?? 0;
                    return v > 0 && (
                      <rect key={p.name} class="heat" x={i * bar} y={height - (nth + 1) * row} width={bar} height={row} fill-opacity={(0.15 + 0.85 * Math.sqrt(v / densest)).toFixed(2)} onClick={leads(p, at)}>
                        <title>{`${label(at, step, zone.value)}, ${p.name}: ${count(v)}`}</title>
                      </rect>
                    );
                  })}
                  {!props.heat && shown.map((p) => {
                    const v = p.values[i] ?? 0;
                    const h = (v / most) * (height - 2);
                    below += h;
                    return h > 0 && <rect key={p.name} class={p.kind} x={i * bar + 1} y={height - below} width={bar - 2} height={Math.max(1, h)} onClick={leads(p, at)} />;
                  })}
                </g>
              );
            })}
            {drawn && drawn.begin !== drawn.end && <rect class="drawn" x={Math.min(drawn.begin, drawn.end) * bar} y={0} width={(Math.abs(drawn.end - drawn.begin) + 1) * bar} height={height} />}
          </svg>
          <Times times={times} step={step} />
        </div>
      )}
    </figure>
  );
}

function cellOf(p: BarPart, at: number, n: number): ComponentChildren {
  if (n === 0 || p.href === undefined) return count(n);
  return (
    <ChartLink class="value" href={p.href(at)}>
      {count(n)}
    </ChartLink>
  );
}

function rowsOf(times: readonly number[], parts: readonly BarPart[], href: ((at: number) => string) | undefined): NumberRow[] {
  return times.map((at, i) => {
    const time = moment(at * 1000, zone.value).slice(0, 16);
    return { at, head: href === undefined ? time : <ChartLink href={href(at)}>{time}</ChartLink>, cells: parts.map((p) => cellOf(p, at, p.values[i] ?? 0)) };
  });
}
