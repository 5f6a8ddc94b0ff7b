// SPDX-License-Identifier: Apache-2.0

// What is drawn of lines and of bars within the frame of a chart.

import { zone } from "../shell/settings";
import { texts } from "../texts";
import { go } from "../url";
import { label } from "./scale";

const t = texts.chart;

/** Between which values a step is in the ordinary, null where nothing says it. */
export type Band = readonly (readonly [low: number, high: number] | null)[];

/** Values by steps. */
export type Course = {
  values: readonly (number | null)[];
  /** Of how many each value is. */
  counts: readonly (number | null)[];
  href: (at: number) => string;
};

/** A line with its name, and the same in the period before, step by step. */
export type Line = Course & { name: string; past?: Course | undefined };

/** How many lines have a colour and a pattern of their own. */
export const maxLines = 6;

/** Where steps and values are in the frame. */
export type Frame = {
  width: number;
  times: readonly number[];
  step: number;
  x: (i: number) => number;
  y: (value: number) => number;
  show: (value: number) => string;
  /** Whether a step still waits for evaluations. */
  open: readonly boolean[];
};

const place = (f: Frame, i: number, v: number) => `${f.x(i).toFixed(1)} ${f.y(v).toFixed(1)}`;

/** The parts of a line between steps without a value, each split where it goes on dashed. */
function paths(values: Course["values"], f: Frame): { d: string; dashed: boolean }[] {
  const list: { d: string; dashed: boolean }[] = [];
  let before: { i: number; v: number } | undefined;
  for (const [i, v] of values.entries()) {
    if (v === null) continue;
    if (before !== undefined && before.i === i - 1) {
      const dashed = f.open[i] === true || f.open[before.i] === true;
      const last = list.at(-1);
      const from = place(f, before.i, before.v);
      if (last !== undefined && last.dashed === dashed && last.d.endsWith(from)) last.d += ` L${place(f, i, v)}`;
      else list.push({ d: `M${from} L${place(f, i, v)}`, dashed });
    }
    before = { i, v };
  }
  return list;
}

/** Runs of steps that wait for evaluations and have no value yet: no line can show them. */
function waits(lines: readonly Line[], open: readonly boolean[]): { first: number; last: number }[] {
  const list: { first: number; last: number }[] = [];
  for (const [i, waiting] of open.entries()) {
    if (!waiting || lines.some((l) => (l.values[i] ?? null) !== null)) continue;
    const run = list.at(-1);
    if (run?.last === i - 1) run.last = i;
    else list.push({ first: i, last: i });
  }
  return list;
}

/** Marks at the foot of the frame the steps that have nothing yet. */
export function Waits(props: { lines: readonly Line[]; frame: Frame; foot: number }) {
  const { frame: f } = props;
  const edge = (i: number) => Math.min(f.width, Math.max(0, f.x(i))).toFixed(1);
  return (
    <>
      {waits(props.lines, f.open).map(({ first, last }) => (
        <path key={first} class="waits" d={`M${edge(first - 0.5)} ${props.foot} L${edge(last + 0.5)} ${props.foot}`}>
          <title>{`${label(f.times[first] ?? 0, f.step, zone.value)}: ${t.open}`}</title>
        </path>
      ))}
    </>
  );
}

const said = (name: string, of: Course, i: number, f: Frame) =>
  `${name}, ${label(f.times[i] ?? 0, f.step, zone.value)}: ${f.show(of.values[i] ?? 0)} (${of.counts[i] ?? 0})`;

const thin = 5; // values of so few are drawn faint

/** A point for each value, which leads to the spans behind it. */
function Points(props: { name: string; of: Course; frame: Frame }) {
  const { of, frame: f } = props;
  return (
    <>
      {of.values.map(
        (v, i) =>
          v !== null && (
            <path key={i} class={(of.counts[i] ?? thin) < thin ? "dot thin" : "dot"} d={`M${place(f, i, v)} h0.01`} onClick={() => go(of.href(f.times[i] ?? 0))}>
              <title>{said(props.name, of, i, f)}</title>
            </path>
          ),
      )}
    </>
  );
}

/** The band of what is in the ordinary, in as many parts as steps without one leave. */
export function Ordinary(props: { band: Band; frame: Frame }) {
  const { band, frame: f } = props;
  const runs: { at: number; of: readonly [number, number] }[][] = [];
  for (const [at, of] of band.entries()) {
    if (of === null) continue;
    const run = runs.at(-1);
    if (run?.at(-1)?.at === at - 1) run.push({ at, of });
    else runs.push([{ at, of }]);
  }
  const edge = (run: typeof runs[number], end: 0 | 1) => run.map(({ at, of }) => place(f, at, of[end]));
  return (
    <>
      {runs.map((run) => (
        <path key={run[0]?.at} class="band" d={`M${[...edge(run, 1), ...edge(run, 0).reverse()].join(" L")} Z`} />
      ))}
    </>
  );
}

/** The values of the period before, dashed and thinner. */
export function Past(props: { line: Line; frame: Frame }) {
  const { line, frame } = props;
  if (line.past === undefined) return null;
  return (
    <g class="past">
      {paths(line.past.values, { ...frame, open: [] }).map((p) => (
        <path key={p.d} d={p.d} />
      ))}
      <Points name={t.before(line.name)} of={line.past} frame={frame} />
    </g>
  );
}

/** The values of a line, dashed where evaluations are still pending. */
export function Drawn(props: { line: Line; frame: Frame }) {
  const { line, frame } = props;
  return (
    <>
      {paths(line.values, frame).map((p) => (
        <path key={p.d} class={p.dashed ? "dashed" : undefined} d={p.d} />
      ))}
      <Points name={line.name} of={line} frame={frame} />
    </>
  );
}

/** The values of a line as bars next to those of the other lines, hollow where evaluations are still pending. */
export function Bars(props: { line: Line; nth: number; of: number; frame: Frame }) {
  const { line, frame: f } = props;
  const step = f.width / Math.max(1, f.times.length);
  const wide = (step * 0.8) / props.of;
  const zero = f.y(0);
  return (
    <>
      {line.values.map((v, i) => {
        if (v === null) return null;
        const high = Math.max(2, Math.abs(f.y(v) - zero));
        return (
          <rect
            key={i}
            class={f.open[i] ? "bar open" : "bar"}
            x={(f.x(i) - step * 0.4 + props.nth * wide).toFixed(1)}
            y={(v < 0 ? zero : zero - high).toFixed(1)}
            width={wide.toFixed(2)}
            height={high.toFixed(1)}
            onClick={() => go(line.href(f.times[i] ?? 0))}
          >
            <title>{said(line.name, line, i, f)}</title>
          </rect>
        );
      })}
    </>
  );
}
