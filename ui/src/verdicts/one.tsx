// SPDX-License-Identifier: Apache-2.0

import type { Filter } from "../api/spans";
import { Lines } from "../chart/lines";
import { filtersParam } from "../filter/filter";
import { boundsOf } from "../period/period";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { texts } from "../texts";
import { count } from "../text/format";
import { beginning, visible } from "../text/visible";
import { change, format, link, place } from "../url";
import { useLoaded } from "../use";
import { Groups } from "./groups";
import { type Course, measureOf, readCourse, showOf } from "./read";
import { Rests } from "./rests";
import "../form/form.css";
import { Spread } from "./spread";
import { aggregates, filterOfGroup, type Wanted } from "./state";

const t = texts.trends;
const fields = ["llm.request.model", "service_name", "span_name", "llm.vendor", "backend"] as const;

function Choices(props: { wanted: Wanted; course: Course }) {
  const { wanted: w, course } = props;
  if (course.kind === "text") return null;
  return (
    <div class="head">
      <label class="inline">
        {t.by}{" "}
        <select value={course.by} onChange={(e) => change({ by: e.currentTarget.value === "" ? "none" : e.currentTarget.value })}>
          <option value="">{t.byNothing}</option>
          {[...new Set([...fields, ...(course.by === "" ? [] : [course.by])])].map((f) => (
            <option key={f} value={f}>
              {t.fields[f] ?? visible(f)}
            </option>
          ))}
        </select>
      </label>
      {course.kind === "number" && (
        <label class="inline">
          {t.measure}{" "}
          <select value={w.aggregate} onChange={(e) => change({ agg: e.currentTarget.value })}>
            {aggregates.map((a) => (
              <option key={a} value={a}>
                {t.aggregates[a]}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}

/** The verdicts of one output over time, and what they rest on. */
export function One(props: { environment: string; wanted: Wanted }) {
  const { environment } = props;
  const w = props.wanted.by === "none" ? { ...props.wanted, by: "" } : props.wanted;
  const id = `evaluation.${w.evaluator}.${w.output}`;
  const loaded = useLoaded((signal) => readCourse(environment, w, signal), [environment, JSON.stringify(w)]);
  const course = loaded.data;
  const { from, to } = boundsOf(w.period);
  const spans = (bounds: { from: number; to: number }, more: readonly Filter[]) =>
    link(["spans"], { from: String(bounds.from), to: String(bounds.to), filters: filtersParam([...w.filters, ...more]) });
  const within = { from, to: to ?? Math.floor(Date.now() / 1000) };
  const name = `${visible(w.evaluator)} ${visible(w.output)}`;
  return (
    <>
      <div class="head">
        <Link href={format({ path: ["verdicts"], params: { ...place.value.params, m: "", by: "", agg: "" } })} class="back">
          ‹ {t.all}
        </Link>
        <h2>{name}</h2>
      </div>
      <Problem of={loaded} />
      {course && course.figures.total.count === 0 && <p>{t.noneOf}</p>}
      {course && (course.figures.total.count ?? 0) === 0 && <Rests coverage={course.coverage} evaluator={w.evaluator} href={(filters) => spans(within, filters)} />}
      {course && (course.figures.total.count ?? 0) > 0 && (
        <>
          <Choices wanted={w} course={course} />
          {course.backends.length > 1 && <p class="note">{t.backends(course.backends.map(visible).join(", "))}</p>}
          <Chart course={course} wanted={w} name={name} id={id} spans={spans} />
          <Rests coverage={course.coverage} evaluator={w.evaluator} href={(filters) => spans(within, filters)} />
          {course.by !== "" && <Groups course={course} wanted={w} href={(f) => spans(within, f === undefined ? [{ id, operator: "exists" }] : [{ id, operator: "exists" }, f])} id={id} />}
          <Spread course={course} id={id} href={(filters) => spans(within, filters)} />
        </>
      )}
    </>
  );
}

function Chart(props: { course: Course; wanted: Wanted; name: string; id: string; spans: (bounds: { from: number; to: number }, more: readonly Filter[]) => string }) {
  const { course, wanted: w, name, id } = props;
  const { figures, step } = course;
  const measure = measureOf(course, w);
  const show = showOf(course);
  const groups = course.by === "" ? [{ keys: [name], total: figures.total, series: figures.series }] : figures.groups;
  const sums = figures.times.map((_, i) => figures.groups.reduce((sum, g) => sum + (g.series?.count?.[i] ?? 0), figures.other?.series?.count?.[i] ?? 0));
  const share = (values: readonly (number | null)[]) => values.map((v, i) => (sums[i] ? (v ?? 0) / (sums[i] ?? 1) : null));
  const lines = groups.map((g) => {
    const key = g.keys[0] ?? "";
    const of = course.by === "value" ? ({ id, operator: "equals", value: key } as const) : filterOfGroup(course.by, key);
    const more: Filter[] = course.by === "value" && of ? [of] : [{ id, operator: "exists" }, ...(course.by !== "" && of ? [of] : [])];
    const values = g.series?.[measure] ?? [];
    return {
      name: key === "" ? t.without : beginning(key, 60),
      values: course.kind === "text" ? share(values) : values,
      counts: course.kind === "text" ? sums : (g.series?.count ?? []),
      href: (at: number) => props.spans({ from: at, to: at + step }, more),
    };
  });
  const said = course.kind === "boolean" ? t.shareTrue : course.kind === "number" ? t.aggregates[w.aggregate] : t.shareOfEach;
  const total = figures.total[measure];
  const finding =
    course.kind === "text"
      ? t.findingTexts(count(figures.group_count), count(figures.total.count ?? 0))
      : t.finding(said, total === null || total === undefined ? "–" : show(total), count(figures.total.count ?? 0));
  return (
    <Lines
      name={name}
      finding={finding}
      times={figures.times}
      step={step}
      lines={lines}
      open={course.open}
      show={show}
      bounds={course.kind === "number" ? undefined : [0, 1]}
    />
  );
}
