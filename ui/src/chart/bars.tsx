// SPDX-License-Identifier: Apache-2.0

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { zone } from "../shell/settings";
import { texts } from "../texts";
import { count, moment } from "../text/format";
import { go } from "../url";
import { ChartLink, type NumberRow, Numbers } from "./numbers";
import { label } from "./scale";
import "./chart.css";

const t = texts.chart;
const height = 120;
const bar = 10; // units of width

export type BarPart = { name: string; /** Which colour it has. */ kind: string; values: readonly (number | null)[] };

/** Counts over time, one bar for each step, its parts above one another. The same numbers stand in a table. */
export function StackedBars(props: {
  name: string;
  times: readonly number[];
  step: number;
  parts: readonly BarPart[];
  href: (at: number) => string;
  small?: boolean;
  /** Choices that stand beside the legend. */
  children?: ComponentChildren;
}) {
  const { times, parts, step } = props;
  const [table, setTable] = useState(false);
  const sums = times.map((_, i) => parts.reduce((sum, p) => sum + (p.values[i] ?? 0), 0));
  const most = Math.max(1, ...sums);
  const shown = parts.filter((p) => p.values.some((v) => (v ?? 0) > 0));
  return (
    <figure class="chart">
      <div class="legend-row">
        <ul class="legend-list" aria-hidden="true">
          {shown.map((p) => (
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
        <>
          <svg
            role="img"
            aria-label={t.bars(props.name, count(sums.reduce((a, b) => a + b, 0)))}
            viewBox={`0 0 ${Math.max(1, times.length) * bar} ${height}`}
            preserveAspectRatio="none"
            class={props.small ? "bars small" : "bars"}
          >
            {times.map((at, i) => {
              let below = 0;
              return (
                <g key={at} onClick={() => go(props.href(at))}>
                  <title>{`${label(at, step, zone.value)}: ${count(sums[i] ?? 0)}`}</title>
                  <rect class="room" x={i * bar} y={0} width={bar} height={height} />
                  {shown.map((p) => {
                    const v = p.values[i] ?? 0;
                    const h = (v / most) * (height - 2);
                    below += h;
                    return h > 0 && <rect key={p.name} class={p.kind} x={i * bar + 1} y={height - below} width={bar - 2} height={Math.max(1, h)} />;
                  })}
                </g>
              );
            })}
          </svg>
          <p class="times" aria-hidden="true">
            <span>{times[0] !== undefined && label(times[0], step, zone.value)}</span>
            <span>{t.most(count(most))}</span>
            <span>{times.length > 1 && label(times[times.length - 1] ?? 0, step, zone.value)}</span>
          </p>
        </>
      )}
    </figure>
  );
}

function rowsOf(times: readonly number[], parts: readonly BarPart[], href: (at: number) => string): NumberRow[] {
  return times.map((at, i) => ({
    at,
    head: <ChartLink href={href(at)}>{moment(at * 1000, zone.value).slice(0, 16)}</ChartLink>,
    cells: parts.map((p) => count(p.values[i] ?? 0)),
  }));
}
