// SPDX-License-Identifier: Apache-2.0

import { AlertLink } from "../alerts/link";
import { readSchema } from "../api/evaluators";
import type { Filter } from "../api/spans";
import { ticks } from "../chart/scale";
import { filtersParam } from "../filter/filter";
import { boundsOf } from "../period/period";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { Skeleton } from "../shell/skeleton";
import { texts } from "../texts";
import { visible } from "../text/visible";
import { format, link, place } from "../url";
import { useLoaded } from "../use";
import { Agreement } from "./agreement";
import { Behind } from "./behind";
import { Choices } from "./choices";
import { Chart } from "./course";
import { Groups } from "./groups";
import { readMarks } from "./marks";
import { readCourse } from "./read";
import { Reasons } from "./reasons";
import { Rests } from "./rests";
import "../form/form.css";
import { Spread } from "./spread";
import { SilentMonitors } from "./silent";
import { isOurs, type Wanted } from "./state";

const t = texts.trends;

/** The verdicts of one output over time, and what they rest on. */
export function One(props: { environment: string; wanted: Wanted }) {
  const { environment } = props;
  const w = props.wanted.by === "none" ? { ...props.wanted, by: "" } : props.wanted;
  const id = `evaluation.${w.evaluator}.${w.output}`;
  const loaded = useLoaded((signal) => readCourse(environment, w, signal), [environment, JSON.stringify(w)]);
  const course = loaded.data;
  const step = course?.step;
  const marks = useLoaded((signal) => (step === undefined ? Promise.resolve(undefined) : readMarks(environment, w, step, signal)), [environment, JSON.stringify(w), step]);
  const ours = isOurs(w.evaluator);
  const schema = useLoaded(async (signal) => (ours ? await readSchema(environment, w.evaluator, signal) : undefined), [environment, w.evaluator]);
  const said = schema.data?.good[w.output];
  const rare = course?.kind === "boolean" && said === undefined && course.figures.total.share_true !== 0 && course.figures.total.share_true !== 1;
  // Until it is known which value passes the rarer one counts as worst.
  const good = rare ? (course.figures.total.share_true ?? 0) >= 0.5 : said;
  const { from, to } = boundsOf(w.period);
  const spans = (bounds: { from: number; to: number }, more: readonly Filter[]) =>
    link(["spans"], { from: String(bounds.from), to: String(bounds.to), filters: filtersParam([...w.filters, ...more]) });
  const within = { from, to: to ?? Math.floor(Date.now() / 1000) };
  const name = `${visible(w.evaluator)} ${visible(w.output)}`;
  const by = course === undefined || course.by === "value" ? "" : course.by;
  const highest = String(ticks(0, Math.max(1, course?.figures.bins?.at(-1)?.to ?? 1), 4).at(-1)); // of scores, a round number
  const alert =
    course?.kind === "number" ? { metric: "mean_score", evaluator: w.evaluator, output: w.output, highest, by, filters: filtersParam(w.filters) } : ours && said !== undefined ? { metric: "failing_share", evaluator: w.evaluator, by, filters: filtersParam(w.filters) } : undefined;
  return (
    <>
      <div class="head">
        <Link href={format({ path: ["verdicts"], params: { ...place.value.params, m: "", by: "", agg: "", step: "", chart: "", with: "", agree: "", a_min: "", a_true: "", b_min: "", b_true: "", compare: "" } })} class="back">
          ‹ {t.all}
        </Link>
        <h2>{name}</h2>
      </div>
      <Problem of={loaded} />
      {course === undefined && loaded.error === undefined && <Skeleton rows={8} />}
      {course && course.figures.total.count === 0 && <p>{t.noneOf}</p>}
      {course && (course.figures.total.count ?? 0) === 0 && <Rests coverage={course.coverage} evaluator={w.evaluator} href={(filters) => spans(within, filters)} />}
      {course && (course.figures.total.count ?? 0) > 0 && (
        <>
          <Choices wanted={w} course={course} />
          {alert !== undefined && (
            <p>
              <AlertLink chart={name} of={alert} />
            </p>
          )}
          {course.backends.length > 1 && <p class="note">{t.backends(course.backends.map(visible).join(", "))}</p>}
          <Chart course={course} marks={marks.data} wanted={w} name={name} id={id} spans={spans} />
          <Rests coverage={course.coverage} evaluator={w.evaluator} href={(filters) => spans(within, filters)} />
          {rare && <p class="hint">{t.rarest(String(!good))}</p>}
          {course.by !== "" && <Groups course={course} wanted={w} good={good} href={(f) => spans(within, f === undefined ? [{ id, operator: "exists" }] : [{ id, operator: "exists" }, f])} id={id} />}
          {w.output !== "reason" && <Reasons environment={environment} wanted={w} good={good} href={(filters) => spans(within, filters)} />}
          <Behind key={course.kind} environment={environment} wanted={w} kind={course.kind} good={good} ready={!ours || "data" in schema || schema.error !== undefined} />
          <Spread environment={environment} wanted={w} course={course} id={id} href={(filters) => spans(within, filters)} />
          <Agreement environment={environment} wanted={w} kind={course.kind} spans={(more) => link(["spans"], { from: String(within.from), to: String(within.to), filters: filtersParam(more) })} />
        </>
      )}
      {ours && w.filters.length === 0 && <SilentMonitors environment={environment} wanted={w} />}
    </>
  );
}
