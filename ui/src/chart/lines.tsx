// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { zone } from "../shell/settings";
import { texts } from "../texts";
import { minuteOf, moment } from "../text/format";
import { type Band, Bars, type Course, Drawn, type Frame, type Line, maxLines, Ordinary, Past, Waits } from "./drawing";
import { ChartLink, type NumberRow, Numbers } from "./numbers";
import { ticks } from "./scale";
import { Times } from "./times";
import "./chart.css";

const t = texts.chart;

/** A time at which something changed. */
export type Mark = { at: number; text: string };

type Props = {
  name: string;
  /** What the lines come to, in a sentence. */
  finding: string;
  times: readonly number[];
  step: number;
  lines: readonly Line[];
  /** Whether a step still waits for evaluations: its part of the lines is dashed, its bars are hollow. */
  open: readonly boolean[];
  show: (value: number) => string;
  /** Both ends of the axis where they are fixed, such as those of a share. */
  bounds?: readonly [number, number] | undefined;
  /** What is in the ordinary, drawn below lines. */
  band?: Band | undefined;
  /** A value that the lines are compared with. */
  limit?: number | undefined;
  /** What changed in the period. */
  marks?: readonly Mark[] | undefined;
  /** Bars instead of lines; the period before stays a line. */
  bars?: boolean;
};

const width = 1000;
const height = 260;
const room = { left: 8, top: 10, bottom: 10 };

function frameOf(props: Props): Frame & { marks: readonly number[] } {
  const { times, lines } = props;
  const values = lines.flatMap((l) => [...l.values, ...(l.past?.values ?? [])]).filter((v) => v !== null);
  const lowest = props.bounds?.[0] ?? Math.min(...values, 0);
  const highest = Math.max(props.bounds?.[1] ?? -Infinity, props.limit ?? -Infinity, ...values);
  const top = highest > lowest ? highest : lowest + 1;
  const marks = ticks(lowest, top, 4);
  const [least, most] = [marks[0] ?? lowest, marks.at(-1) ?? top];
  return {
    width, times, marks, step: props.step, show: props.show, open: props.open,
    x: (i) => (props.bars ? ((i + 0.5) / Math.max(1, times.length)) * width : room.left + (times.length < 2 ? 0.5 : i / (times.length - 1)) * (width - 2 * room.left)),
    y: (v) => height - room.bottom - ((v - least) / (most - least)) * (height - room.top - room.bottom),
  };
}

function Legend(props: Pick<Props, "lines" | "open" | "bars" | "band" | "limit">) {
  const { lines } = props;
  return (
    <ul class="legend-list" aria-hidden="true">
      {lines.map((l, i) => (
        <li key={l.name}>
          <span class={`${props.bars ? "swatch" : "stroke"} line-${i % maxLines}`} /> {l.name}
        </li>
      ))}
      {lines.some((l) => l.past !== undefined) && (
        <li class="hint">
          <span class="stroke past" /> {t.past}
        </li>
      )}
      {props.band !== undefined && (
        <li class="hint">
          <span class="swatch band" /> {t.ordinary}
        </li>
      )}
      {props.limit !== undefined && (
        <li class="hint">
          <span class="stroke limit" /> {t.limit}
        </li>
      )}
      {props.open.some((o) => o) && (
        <li class="hint">
          <span class="stroke owes" /> {t.open}
        </li>
      )}
    </ul>
  );
}

/** A line from top to foot where something changed. */
function Marked(props: { mark: Mark; frame: Frame }) {
  const { mark, frame: f } = props;
  const x = f.x((mark.at - (f.times[0] ?? 0)) / f.step - 0.5).toFixed(1);
  return (
    <path class="mark" d={`M${x} 0 L${x} ${height}`}>
      <title>{mark.text}</title>
    </path>
  );
}

/** Values over time, a line or bars for each group; the same numbers stand in a table, each with the spans behind it. */
export function Lines(props: Props) {
  const { times, lines, step, show } = props;
  const [table, setTable] = useState(false);
  const frame = frameOf(props);
  return (
    <figure class="chart">
      <div class="legend-row">
        <Legend lines={lines} open={props.open} bars={props.bars === true} band={props.band} limit={props.limit} />
        <button class="quiet" aria-pressed={table} onClick={() => setTable(!table)}>
          {t.table}
        </button>
      </div>
      <figcaption class="hint">{props.finding}</figcaption>
      {table ? (
        <Numbers name={props.name} columns={lines.flatMap((l) => (l.past === undefined ? [l.name] : [l.name, t.before(l.name)]))} rows={rowsOf(props)} />
      ) : (
        <div class="plot">
          <div class="scale" aria-hidden="true">
            {[...frame.marks].reverse().map((m) => (
              <span key={m}>{show(m)}</span>
            ))}
          </div>
          <svg role="img" aria-label={t.lines(props.name, props.finding)} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" class="lines">
            {props.band && <Ordinary band={props.band} frame={frame} />}
            {frame.marks.map((m) => (
              <path key={m} class="grid" d={`M0 ${frame.y(m).toFixed(1)} L${width} ${frame.y(m).toFixed(1)}`} />
            ))}
            {props.limit !== undefined && <path class="limit" d={`M0 ${frame.y(props.limit).toFixed(1)} L${width} ${frame.y(props.limit).toFixed(1)}`} />}
            {props.marks?.map((m) => (
              <Marked key={m.at + m.text} mark={m} frame={frame} />
            ))}
            <Waits lines={lines} frame={frame} foot={height - room.bottom} />
            {lines.map((l, i) => (
              <g key={l.name} class={`line-${i % maxLines}`}>
                {props.bars ? <Bars line={l} nth={i} of={lines.length} frame={frame} /> : <Drawn line={l} frame={frame} />}
              </g>
            ))}
            {lines.map((l, i) => (
              <g key={l.name} class={`line-${i % maxLines}`}>
                <Past line={l} frame={frame} />
              </g>
            ))}
          </svg>
          <Times times={times} step={step} />
        </div>
      )}
      {props.marks !== undefined && props.marks.length > 0 && (
        <ul class="marked hint">
          {props.marks.map((m) => (
            <li key={m.at + m.text}>
              <span class="stroke mark" /> {minuteOf(m.at * 1000, zone.value, Date.now())} {m.text}
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}

function rowsOf({ times, lines, open, show }: Props): NumberRow[] {
  const cell = (of: Course, i: number) => {
    const v = of.values[i] ?? null;
    if (v === null) return null;
    return (
      <ChartLink class="value" href={of.href(times[i] ?? 0)}>
        {show(v)} <span class="hint">{t.of(of.counts[i] ?? 0)}</span>
      </ChartLink>
    );
  };
  return times.map((at, i) => ({
    at,
    head: (
      <>
        {moment(at * 1000, zone.value).slice(0, 16)} {open[i] && <span class="hint">{t.owed}</span>}
      </>
    ),
    cells: lines.flatMap((l) => (l.past === undefined ? [cell(l, i)] : [cell(l, i), cell(l.past, i)])),
  }));
}
