// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { zone } from "../shell/settings";
import { texts } from "../texts";
import { moment } from "../text/format";
import { go } from "../url";
import { ChartLink, type NumberRow, Numbers } from "./numbers";
import { label, ticks } from "./scale";
import "./chart.css";

const t = texts.chart;

export type Line = {
  name: string;
  values: readonly (number | null)[];
  /** Of how many each value is. */
  counts: readonly (number | null)[];
  href: (at: number) => string;
};

type Props = {
  name: string;
  /** What the lines come to, in a sentence. */
  finding: string;
  times: readonly number[];
  step: number;
  lines: readonly Line[];
  /** Whether a step still waits for evaluations: its part of the lines is dashed. */
  open: readonly boolean[];
  show: (value: number) => string;
  /** Both ends of the axis where they are fixed, such as those of a share. */
  bounds?: readonly [number, number] | undefined;
};

const width = 1000;
const height = 260;
const room = { left: 8, top: 10, bottom: 10 };

/** How many lines have a colour and a pattern of their own. */
export const maxLines = 6;

/** The parts of a line between steps without a value, each split where it goes on dashed. */
function paths(line: Line, open: readonly boolean[], x: (i: number) => number, y: (v: number) => number): { d: string; dashed: boolean }[] {
  const list: { d: string; dashed: boolean }[] = [];
  let before: { i: number; v: number } | undefined;
  for (const [i, v] of line.values.entries()) {
    if (v === null) continue;
    if (before !== undefined && before.i === i - 1) {
      const dashed = open[i] === true || open[before.i] === true;
      const last = list.at(-1);
      const to = ` L${x(i).toFixed(1)} ${y(v).toFixed(1)}`;
      if (last !== undefined && last.dashed === dashed && last.d.endsWith(`${x(before.i).toFixed(1)} ${y(before.v).toFixed(1)}`)) last.d += to;
      else list.push({ d: `M${x(before.i).toFixed(1)} ${y(before.v).toFixed(1)}${to}`, dashed });
    }
    before = { i, v };
  }
  return list;
}

/** Values over time, a line for each group; the same numbers stand in a table, each with the spans behind it. */
export function Lines(props: Props) {
  const { times, lines, open, step, show } = props;
  const [table, setTable] = useState(false);
  const values = lines.flatMap((l) => l.values.filter((v) => v !== null));
  const lowest = props.bounds?.[0] ?? Math.min(...values, 0);
  const top = Math.max(props.bounds?.[1] ?? -Infinity, ...values, lowest + 1e-9);
  const marks = ticks(lowest, top, 4);
  const [least, most] = [marks[0] ?? lowest, marks.at(-1) ?? top];
  const x = (i: number) => room.left + (times.length < 2 ? 0.5 : i / (times.length - 1)) * (width - 2 * room.left);
  const y = (v: number) => height - room.bottom - ((v - least) / (most - least)) * (height - room.top - room.bottom);
  const anyOpen = open.some((o) => o);
  return (
    <figure class="chart">
      <div class="legend-row">
        <ul class="legend-list" aria-hidden="true">
          {lines.map((l, i) => (
            <li key={l.name}>
              <span class={`stroke line-${i % maxLines}`} /> {l.name}
            </li>
          ))}
          {anyOpen && <li class="hint">- - {t.open}</li>}
        </ul>
        <button class="quiet" aria-pressed={table} onClick={() => setTable(!table)}>
          {t.table}
        </button>
      </div>
      <figcaption class="hint">{props.finding}</figcaption>
      {table ? (
        <Numbers name={props.name} columns={props.lines.map((l) => l.name)} rows={rowsOf(props)} />
      ) : (
        <div class="plot">
          <div class="scale" aria-hidden="true">
            {marks
              .slice()
              .reverse()
              .map((m) => (
                <span key={m}>{show(m)}</span>
              ))}
          </div>
          <svg role="img" aria-label={t.lines(props.name, props.finding)} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" class="lines">
            {marks.map((m) => (
              <path key={m} class="grid" d={`M0 ${y(m).toFixed(1)} L${width} ${y(m).toFixed(1)}`} />
            ))}
            {lines.map((l, i) => (
              <g key={l.name} class={`line-${i % maxLines}`}>
                {paths(l, open, x, y).map((p) => (
                  <path key={p.d} class={p.dashed ? "dashed" : undefined} d={p.d} />
                ))}
                {l.values.map(
                  (v, at) =>
                    v !== null && (
                      <path key={at} class="dot" d={`M${x(at).toFixed(1)} ${y(v).toFixed(1)} h0.01`} onClick={() => go(l.href(times[at] ?? 0))}>
                        <title>{`${l.name}, ${label(times[at] ?? 0, step, zone.value)}: ${show(v)} (${l.counts[at] ?? 0})`}</title>
                      </path>
                    ),
                )}
              </g>
            ))}
          </svg>
          <p class="times" aria-hidden="true">
            <span>{times[0] !== undefined && label(times[0], step, zone.value)}</span>
            <span>{times.length > 1 && label(times[times.length - 1] ?? 0, step, zone.value)}</span>
          </p>
        </div>
      )}
    </figure>
  );
}

function rowsOf({ times, lines, open, show }: Props): NumberRow[] {
  return times.map((at, i) => ({
    at,
    head: (
      <>
        {moment(at * 1000, zone.value).slice(0, 16)} {open[i] && <span class="hint">{t.owed}</span>}
      </>
    ),
    cells: lines.map((l) => {
      const v = l.values[i] ?? null;
      if (v === null) return null;
      return (
        <ChartLink class="value" href={l.href(at)}>
          {show(v)} <span class="hint">{t.of(l.counts[i] ?? 0)}</span>
        </ChartLink>
      );
    }),
  }));
}
