// SPDX-License-Identifier: Apache-2.0

import { useEffect, useState } from "preact/hooks";
import { readMonitored, type SetupFigures } from "../api/monitoring";
import { readSetups, type Setup } from "../api/monitors";
import { Spark } from "../chart/spark";
import type { Filter } from "../api/spans";
import { filtersParam } from "../filter/filter";
import { useRounds } from "../rounds";
import { Changes, OnlyReads } from "../shell/changes";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { Skeleton } from "../shell/skeleton";
import { texts } from "../texts";
import { ago, count, dollars } from "../text/format";
import { beginning } from "../text/visible";
import { link } from "../url";
import { useLoaded } from "../use";
import { againstFilters, statusFilters } from "../verdict/became";
import { presets } from "./ready";
import { byTrouble, type Hour, isUnexplained, readHours, stateOf } from "./state";
import { isWalking, nameOf, PauseButton, resting, StateMark, walking } from "./status";

const t = texts.monitors;
const spansOf = (n: number) => texts.spans.found(count(n), n);
const explained = 10; // monitors of which it is asked why they do not run

async function readAll(environment: string, signal: AbortSignal) {
  const [setups, monitored, hours] = await Promise.all([readSetups(environment, signal), readMonitored(environment, signal), readHours(environment, signal)]);
  return { setups, hours, days: new Map(monitored.setups.map((f) => [f.id, f])), from: monitored.from_timestamp_sec, now: Date.now() };
}

function Row(props: { environment: string; setup: Setup; day: SetupFigures | undefined; hour: Hour; from: number; now: number; explain: boolean; onDone: () => void; onProblem: (message: string) => void }) {
  const { setup, day } = props;
  const matched = day?.spans ?? 0;
  const cost = day?.cost ?? 0;
  const owedSince = day?.owed_since;
  const last = day?.last_run;
  const name = beginning(setup.external_id, 80);
  const problem = setup.evaluators.find((e) => e.error_message);
  const spans = count(matched);
  const toFilters = (filters: readonly Filter[]) => link(["spans"], { from: String(props.from), to: String(Math.ceil(props.now / 1000)), filters: filtersParam(filters) });
  const to = (status: string) => toFilters(statusFilters(status, setup.id));
  const at = (status: keyof SetupFigures["by_status"]) => {
    const { spans: n, evaluations } = day?.by_status[status] ?? { spans: 0, evaluations: 0 };
    return n === 0 ? "0" : (
      <span title={t.onSpans(count(evaluations), evaluations, spansOf(n))}>
        <Link class="value" href={to(status)}>
          {count(n)}
        </Link>
      </span>
    );
  };
  return (
    <tr>
      <th scope="row">
        <Link href={link(["monitors", nameOf(setup)])}>{name}</Link>
      </th>
      <td>
        <StateMark environment={props.environment} setup={setup} hour={props.hour} explain={props.explain} />
        {problem?.error_message && (
          <p class="problem">
            {problem.error_message.startsWith(problem.evaluator_type) ? "" : `${problem.evaluator_type}: `}
            {beginning(problem.error_message, 200)}
          </p>
        )}
      </td>
      <td class="number matched" data-name={t.columns.matched}>
        {day !== undefined && matched > 0 && <Spark values={day.series.spans} name={t.perHour(name, spans)} />} {matched === 0 ? (
          t.nothing
        ) : (
          <Link class="value" href={to("")}>
            {spans}
          </Link>
        )}
      </td>
      <td class="number" data-name={t.columns.done}>{at("done")}</td>
      <td class="number" data-name={t.columns.against}>
        {day === undefined || day.against === 0 ? (
          "0"
        ) : (
          <Link class="value" href={toFilters(againstFilters(setup.id))}>
            {count(day.against)}
          </Link>
        )}
      </td>
      <td class="number" data-name={t.columns.owed}>
        {at("deferred")}
        {owedSince !== undefined && <p class="hint">{t.owedFor(ago(Date.parse(owedSince), props.now))}</p>}
      </td>
      <td class="number" data-name={t.columns.failed}>{at("failed")}</td>
      <td class="number" data-name={t.columns.skipped}>{at("skipped")}</td>
      <td class="number" data-name={t.columns.cost}>
        {dollars(cost)}
        {setup.max_cost_per_day !== undefined && <p class="hint">{t.todayOf(dollars(day?.spent_today ?? 0), dollars(setup.max_cost_per_day))}</p>}
      </td>
      <td class="number" data-name={t.columns.last}>{last !== undefined ? t.ago(ago(Date.parse(last), props.now)) : t.never}</td>
      <td>
        <PauseButton environment={props.environment} setup={setup} onDone={props.onDone} onProblem={props.onProblem} />
      </td>
    </tr>
  );
}

function Empty() {
  return (
    <div class="empty">
      <p>{t.none}</p>
      <OnlyReads />
      <Changes>
        <p class="hint">{t.noneHint}</p>
        <ul class="choices">
          {presets.map((p) => (
            <li key={p}>
              <Link href={link(["monitors", "new"], { ready: p })}>{t.ready[p].name}</Link> <span class="hint">{t.ready[p].hint}</span>
            </li>
          ))}
        </ul>
      </Changes>
    </div>
  );
}

/** All monitors of the environment with what they did in the last 24 hours. */
export function List(props: { environment: string }) {
  const [every, setEvery] = useState(resting);
  const { round, again: anew } = useRounds(every);
  const [problem, setProblem] = useState("");
  const all = useLoaded((signal) => readAll(props.environment, signal), [props.environment, round]);
  const again = () => {
    setProblem("");
    anew();
  };
  const hourOf = (s: Setup) => all.data?.hours.get(s.id) ?? {};
  const trouble = (s: Setup) => byTrouble.indexOf(stateOf(s, hourOf(s)).kind);
  const setups = [...(all.data?.setups ?? [])].sort((a, b) => trouble(a) - trouble(b));
  const walks = setups.some(isWalking);
  useEffect(() => setEvery(walks ? walking : resting), [walks]);
  const unclear = setups.filter((s) => isUnexplained(stateOf(s, hourOf(s)))).slice(0, explained);
  return (
    <div class="list">
      <div class="head">
        <h1>{t.title}</h1>
        <Changes>
          <Link href={link(["monitors", "new"])} class="button">
            {t.add}
          </Link>
        </Changes>
      </div>
      <Problem of={all} />
      {all.data === undefined && all.error === undefined && <Skeleton rows={6} />}
      {problem !== "" && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {all.data && setups.length === 0 && <Empty />}
      {setups.length > 0 && (
        <div class="across">
          <table class="table monitors">
            <caption class="unseen">{t.title}</caption>
            <thead>
              <tr>
                <th scope="col">{t.columns.name}</th>
                <th scope="col">{t.columns.status}</th>
                {(["matched", "done", "against", "owed", "failed", "skipped", "cost", "last"] as const).map((c) => (
                  <th scope="col" class="number" key={c}>
                    {t.columns[c]}
                  </th>
                ))}
                <td />
              </tr>
            </thead>
            <tbody>
              {setups.map((s) => (
                <Row
                  key={s.id}
                  environment={props.environment}
                  setup={s}
                  day={all.data?.days.get(s.id)}
                  from={all.data?.from ?? 0}
                  now={all.data?.now ?? 0}
                  hour={hourOf(s)}
                  explain={unclear.includes(s)}
                  onDone={again}
                  onProblem={setProblem}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}
