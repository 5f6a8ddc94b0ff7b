// SPDX-License-Identifier: Apache-2.0

import { boundsOf, stepsOf } from "../period/period";
import { texts } from "../texts";
import { lasting } from "../text/format";
import { visible } from "../text/visible";
import { change, place } from "../url";
import type { Course } from "./read";
import { aggregates, fields, type Wanted } from "./state";

const t = texts.trends;

type Props = { wanted: Wanted; course: Course };

/** Whether the address asks for bars instead of lines. */
export const wantsBars = () => place.value.params.chart === "bars";

function By(props: { by: string }) {
  const { by } = props;
  return (
    <label class="inline">
      {t.by}{" "}
      <select value={by} onChange={(e) => change({ by: e.currentTarget.value === "" ? "none" : e.currentTarget.value })}>
        <option value="">{t.byNothing}</option>
        {[...new Set([...fields, ...(by === "" ? [] : [by])])].map((f) => (
          <option key={f} value={f}>
            {t.fields[f] ?? visible(f)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What is shown of the verdicts; where nothing is chosen, what they say. */
function Measure(props: Props) {
  const { wanted: w, course } = props;
  const said = course.kind === "number" ? aggregates.map((a) => [a, t.aggregates[a]] as const) : ([["", course.kind === "boolean" ? t.shareTrue : t.shareOfEach]] as const);
  return (
    <label class="inline">
      {t.measure}{" "}
      <select value={w.counts ? "count" : course.kind === "number" ? w.aggregate : ""} onChange={(e) => change({ agg: e.currentTarget.value })}>
        {said.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
        <option value="count">{t.howMany}</option>
      </select>
    </label>
  );
}

/** How long a step is: as the length of the period says, or as a user wants it. */
function Step(props: Props) {
  const { wanted: w, course } = props;
  const { from, to } = boundsOf(w.period);
  const steps = stepsOf(from, to ?? Math.floor(Date.now() / 1000));
  const chosen = w.step === course.step;
  return (
    <label class="inline">
      {t.per}{" "}
      <select value={chosen ? String(w.step) : ""} onChange={(e) => change({ step: e.currentTarget.value })}>
        <option value="">{chosen ? t.stepByItself : t.stepByLength(lasting(course.step))}</option>
        {steps.map((s) => (
          <option key={s} value={s}>
            {lasting(s)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What is drawn of the verdicts, and how. */
export function Choices(props: Props) {
  const { wanted: w, course } = props;
  return (
    <div class="head small">
      {course.kind !== "text" && <By by={course.by} />}
      <Measure {...props} />
      <Step {...props} />
      <div class="choice" role="group" aria-label={t.drawn}>
        {(["line", "bars"] as const).map((how) => (
          <button key={how} aria-pressed={wantsBars() === (how === "bars")} onClick={() => change({ chart: how === "bars" ? how : "" })}>
            {t[how]}
          </button>
        ))}
      </div>
      <label class="check">
        <input type="checkbox" checked={w.compare} onChange={(e) => change({ compare: e.currentTarget.checked ? "1" : "" })} />
        {t.compare}
      </label>
    </div>
  );
}
