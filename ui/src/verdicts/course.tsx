// SPDX-License-Identifier: Apache-2.0

import { type Series, summed } from "../api/figures";
import type { Filter } from "../api/spans";
import type { Band, Line } from "../chart/drawing";
import { Lines, type Mark } from "../chart/lines";
import { texts } from "../texts";
import { count } from "../text/format";
import { beginning } from "../text/visible";
import { wantsBars } from "./choices";
import { type Course, measureOf, showOf } from "./read";
import { few, filterOfGroup, type Wanted } from "./state";

const t = texts.trends;

/** The groups that have a line, with their steps now and, at the same places, in the period before. */
function groupsOf(course: Course, name: string): { key: string; now: Series | undefined; before: Series | undefined }[] {
  const { figures, past } = course;
  if (course.by === "") return [{ key: name, now: figures.series, before: past?.series }];
  return figures.groups.map((g) => ({ key: g.keys[0] ?? "", now: g.series, before: past?.groups.find((b) => b.keys[0] === g.keys[0])?.series }));
}

/** What a course comes to, in a sentence. */
function findingOf(course: Course, w: Wanted): string {
  const all = course.figures.total.count ?? 0;
  const before = course.past === undefined ? undefined : course.before.total;
  if (before?.count === 0) return findingOf({ ...course, past: undefined }, w) + " " + t.noneBefore;
  if (w.counts) return t.findingCount(count(all)) + (before === undefined ? "" : " " + t.findingCountBefore(count(before.count ?? 0)));
  if (course.kind === "text") return t.findingTexts(count(course.figures.group_count), count(all));
  const [measure, show] = [measureOf(course, w), showOf(course, w)];
  const shown = (value: number | null | undefined) => (value === null || value === undefined ? "–" : show(value));
  const said = course.kind === "boolean" ? t.shareTrue : t.aggregates[w.aggregate];
  return t.finding(said, shown(course.figures.total[measure]), count(all)) + (before === undefined ? "" : " " + t.findingBefore(shown(before[measure]), count(before.count ?? 0)));
}

const z = 1.96; // for 95 %

/** Between which shares a step of so many results stays by chance, if nothing has changed since the period before. */
function bandOf({ before, figures }: Course): Band | undefined {
  const all = before.total.count ?? 0;
  if (all < few) return undefined;
  // https://en.wikipedia.org/wiki/Binomial_proportion_confidence_interval#Agresti%E2%80%93Coull_interval
  const share = ((before.total.share_true ?? 0) * all + 2) / (all + 4);
  return (figures.series?.count ?? []).map((n) => {
    if (!n) return null;
    const half = z * Math.sqrt((share * (1 - share)) / n);
    return [Math.max(0, share - half), Math.min(1, share + half)];
  });
}

const least = 0.1; // of an axis of shares, so that little does not look like much

/** The ends of an axis that shares fit in. */
function fitting(lines: readonly Line[], band: Band | undefined): [number, number] {
  const all = [...lines.flatMap((l) => [...l.values, ...(l.past?.values ?? [])]), ...(band ?? []).flatMap((b) => b ?? [])].filter((v) => v !== null);
  if (all.length === 0) return [0, 1];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const room = Math.max(0, least - (high - low)) / 2;
  return [Math.max(0, low - room), Math.min(1, high + room)];
}

/** The verdicts of one output by steps, a line or bars for each group. */
export function Chart(props: { course: Course; marks: readonly Mark[] | undefined; wanted: Wanted; name: string; id: string; spans: (bounds: { from: number; to: number }, more: readonly Filter[]) => string }) {
  const { course, wanted: w, id } = props;
  const { figures, past, step } = course;
  const measure = measureOf(course, w);
  const shares = course.kind === "text" && !w.counts;
  const [sums, sumsBefore] = [summed(figures, "count"), past === undefined ? [] : summed(past, "count")];
  const lines = groupsOf(course, props.name).map(({ key, now, before }) => {
    const of = course.by === "value" ? ({ id, operator: "equals", value: key } as const) : filterOfGroup(course.by, key);
    const more: Filter[] = course.by === "value" && of ? [of] : [{ id, operator: "exists" }, ...(course.by !== "" && of ? [of] : [])];
    const courseOf = (series: Series | undefined, each: readonly number[], shift: number) => ({
      values: shares ? (series?.count ?? []).map((v, i) => (each[i] ? (v ?? 0) / (each[i] ?? 1) : null)) : (series?.[measure] ?? []),
      counts: shares ? each : (series?.count ?? []),
      href: (at: number) => props.spans({ from: at - shift, to: at - shift + step }, more),
    });
    return { name: key === "" ? t.without : beginning(key, 60), ...courseOf(now, sums, 0), past: past === undefined ? undefined : courseOf(before, sumsBefore, course.shift) };
  });
  const isShare = course.kind === "boolean" && !w.counts && !wantsBars();
  const band = isShare && course.by === "" ? bandOf(course) : undefined;
  return (
    <Lines
      name={props.name}
      finding={findingOf(course, w)}
      times={figures.times}
      step={step}
      lines={lines}
      open={course.open}
      show={showOf(course, w)}
      bounds={isShare ? fitting(lines, band) : course.kind === "number" || w.counts ? undefined : [0, 1]}
      band={band}
      marks={props.marks}
      bars={wantsBars()}
    />
  );
}
