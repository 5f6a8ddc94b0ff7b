// SPDX-License-Identifier: Apache-2.0

import { ofEvaluations, ofSpans } from "../api/figures";
import { readHealth } from "../api/health";
import { readMe } from "../api/me";
import { readMonitoringStatus } from "../api/monitoring";
import { readSetups } from "../api/monitors";
import { StackedBars } from "../chart/bars";
import { failedFilter, filtersParam } from "../filter/filter";
import { useRounds } from "../rounds";
import { operator } from "../session";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { Skeleton } from "../shell/skeleton";
import { Table } from "../table/table";
import { texts } from "../texts";
import { count, dollars, duration } from "../text/format";
import { visible } from "../text/visible";
import { link } from "../url";
import { useLoaded } from "../use";
import { becameParts } from "../verdict/became";
import { Figure, Part } from "./parts";
import { OfProcess } from "./process";

const t = texts.health;
const every = 10_000; // milliseconds
const minute = 60;
const hour = 3600;
const day = 86_400;
const failedSpans = filtersParam([failedFilter]);

async function readAll(environment: string, signal: AbortSignal) {
  const now = Math.floor(Date.now() / 1000);
  const [status, me, setups, spans, evaluations, costs] = await Promise.all([
    readMonitoringStatus(environment, signal),
    readMe(environment, signal),
    readSetups(environment, signal),
    ofSpans(environment, { from: now - 59 * minute, to: undefined, step: minute, measures: ["count", "errors"] }, signal),
    ofEvaluations(environment, { from: now - 23 * hour, to: undefined, step: hour, by: ["status"], measures: ["spans"] }, signal),
    ofEvaluations(environment, { from: now - day, to: undefined, by: ["setup_id"], measures: ["cost", "prompt_tokens", "completion_tokens", "count"], top: 1000 }, signal),
  ]);
  return { status, me, spans, evaluations, costs, names: new Map(setups.map((s) => [s.id, s])) };
}

type All = Awaited<ReturnType<typeof readAll>>;

function Sums(props: { of: All }) {
  const { status, me } = props.of;
  const lag = status.lag_in_seconds === 0 ? t.none : duration(status.lag_in_seconds * 1000);
  return (
    <dl class="figures">
      <Figure name={t.status} value={t.statuses[status.status] ?? status.status} hint={t.statusHint} />
      <Figure name={t.behind} value={lag} hint={t.behindHint} />
      <Figure name={t.waiting} value={count(status.lag_in_spans)} hint={t.waitingHint} />
      {me.environment && <Figure name={texts.environment.retention} value={texts.environment.hours(me.environment.retention_hours)} hint={t.retentionHint} />}
    </dl>
  );
}

function Costs(props: { of: All }) {
  const rows = props.of.costs.groups.filter((g) => (g.total.cost ?? 0) > 0 || (g.total.prompt_tokens ?? 0) > 0);
  if (rows.length === 0) return <p>{t.noCost}</p>;
  return (
    <Table name={t.cost} texts={[t.monitor]} numbers={[texts.monitors.cost, t.tokens, t.evaluations]}>
          {rows.map((g) => {
            const id = g.keys[0] ?? "";
            const setup = props.of.names.get(id);
            return (
              <tr key={id}>
                <th scope="row">{setup === undefined ? texts.trace.gone : <Link href={link(["monitors", setup.external_id])}>{visible(setup.external_id)}</Link>}</th>
                <td class="number" data-name={texts.monitors.cost}>{dollars(g.total.cost ?? 0)}</td>
                <td class="number" data-name={t.tokens}>{count((g.total.prompt_tokens ?? 0) + (g.total.completion_tokens ?? 0))}</td>
                <td class="number" data-name={t.evaluations}>{count(g.total.count ?? 0)}</td>
              </tr>
            );
          })}
    </Table>
  );
}

function OfEnvironment(props: { environment: string; round: number }) {
  const all = useLoaded((signal) => readAll(props.environment, signal), [props.environment, props.round]);
  const minuteOf = (at: number, filters = "") => link(["spans"], { from: String(at), to: String(at + minute), filters });
  return (
    <>
      <Problem of={all} />
      {all.data === undefined && all.error === undefined && <Skeleton rows={6} />}
      {all.data && (
        <>
          <Sums of={all.data} />
          <Part title={t.spans} hint={t.spansHint}>
            <StackedBars
              name={t.spans}
              times={all.data.spans.times}
              step={minute}
              parts={[
                { name: t.well, kind: "plain", values: (all.data.spans.series?.count ?? []).map((n, i) => (n ?? 0) - (all.data?.spans.series?.errors?.[i] ?? 0)) },
                { name: t.errors, kind: "failed", values: all.data.spans.series?.errors ?? [], href: (at) => minuteOf(at, failedSpans) },
              ]}
              href={minuteOf}
            />
          </Part>
          <Part title={t.became} hint={t.becameHint}>
            <StackedBars
              name={t.became}
              times={all.data.evaluations.times}
              step={hour}
              parts={becameParts(all.data.evaluations, hour)}
            />
          </Part>
          <Part title={t.cost} hint={t.costHint}>
            <Costs of={all.data} />
          </Part>
        </>
      )}
    </>
  );
}

/** Whether the process is well, which everybody may know. */
function Process(props: { round: number }) {
  const health = useLoaded(readHealth, [props.round]);
  const problems = health.data?.problems ?? [];
  return (
    <>
      {health.data && problems.length === 0 && <p>{t.allWell}</p>}
      {problems.map((p) => (
        <div class="notice" key={p.name}>
          <p>{visible(p.message)}</p>
        </div>
      ))}
    </>
  );
}

/** How the environment does, or for the operator the process; again every ten seconds. */
export function HealthScreen(props: { environment: string }) {
  const { round } = useRounds(every);
  return (
    <div class="list wide">
      <h1>{t.title}</h1>
      <Process round={round} />
      {props.environment === operator ? <OfProcess round={round} /> : <OfEnvironment environment={props.environment} round={round} />}
    </div>
  );
}
