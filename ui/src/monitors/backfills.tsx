// SPDX-License-Identifier: Apache-2.0

import { useEffect, useState } from "preact/hooks";
import { ofSpans } from "../api/figures";
import { type Backfill, backfill, cancelBackfill, readBackfills, type Setup } from "../api/monitors";
import { boundsOf, periodOf } from "../period/period";
import { PeriodSelect } from "../period/select";
import { Changes, OnlyReads } from "../shell/changes";
import { Problem } from "../shell/problem";
import { zone } from "../shell/settings";
import { texts } from "../texts";
import { count, moment } from "../text/format";
import { visible } from "../text/visible";
import { place } from "../url";
import { useLoaded } from "../use";
import { Share } from "./funnel";
import { paceOf } from "./pace";
import { nameOf } from "./status";

const t = texts.monitors;
const every = 2000; // milliseconds between looks at what is under way

const underWay = (b: Backfill) => b.status === "pending" || b.status === "running";
const minute = (seconds: number) => moment(seconds * 1000, zone.value).slice(0, 16);

function Jobs(props: { list: readonly Backfill[]; onCancel: (b: Backfill) => void }) {
  return (
    <table class="table">
      <caption class="unseen">{t.backfills}</caption>
      <thead>
        <tr>
          <th scope="col">{t.period}</th>
          <th scope="col">{t.columns.status}</th>
          <th scope="col">{t.matched}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {props.list.map((b) => (
          <tr key={b.id}>
            <th scope="row">{texts.period.between(minute(b.from_timestamp_sec), minute(b.to_timestamp_sec))}</th>
            <td>
              {t.jobStatuses[b.status]}
              {b.error_message && <p class="problem">{visible(b.error_message)}</p>}
            </td>
            <td>
              <Share part={b.status === "completed" ? 1 : b.seen} whole={b.status === "completed" ? 1 : b.total} />
              <span class="hint">
                {t.progress(count(b.seen), count(b.total), count(b.matched))} {paceOf(b)}
              </span>
            </td>
            <td>
              {underWay(b) && (
                <Changes>
                  <button class="quiet" onClick={() => props.onCancel(b)}>
                    {t.cancelJob}
                  </button>
                </Changes>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Judging spans that were stored before, and how far that got. */
export function Backfills(props: { environment: string; setup: Setup }) {
  const { environment, setup } = props;
  const [round, setRound] = useState(0);
  const [problem, setProblem] = useState("");
  const period = periodOf(place.value.params, "24h") ?? "24h";
  const key = JSON.stringify(period);
  const jobs = useLoaded((signal) => readBackfills(environment, nameOf(setup), signal), [setup.id, round]);
  const stored = useLoaded((signal) => ofSpans(environment, { ...boundsOf(period), measures: ["count"] }, signal), [environment, key]);
  const busy = jobs.data?.some(underWay) === true;
  useEffect(() => {
    if (!busy) return;
    const timer = setTimeout(() => setRound((r) => r + 1), every);
    return () => clearTimeout(timer);
  }, [busy, jobs.data]);
  const does = async (action: () => Promise<unknown>) => {
    setProblem("");
    try {
      await action();
    } catch (e) {
      setProblem(e instanceof Error ? e.message : String(e));
    }
    setRound((r) => r + 1);
  };
  const start = () => {
    const { from, to } = boundsOf(period);
    return does(() => backfill(environment, nameOf(setup), from, to));
  };
  return (
    <section>
      <h2>{t.backfills}</h2>
      <p class="hint">{t.backfillHint}</p>
      <OnlyReads />
      <Changes>
        <div class="head">
          <PeriodSelect period={period} />
          <button class="primary" onClick={() => void start()}>
            {t.start}
          </button>
          <p class="hint" role="status">
            {stored.data && t.estimate(count(stored.data.total.count ?? 0))}
          </p>
        </div>
      </Changes>
      {problem !== "" && (
        <p class="problem" role="alert">
          {visible(problem)}
        </p>
      )}
      <Problem of={jobs} />
      {jobs.data?.length === 0 && <p>{t.noBackfills}</p>}
      {jobs.data !== undefined && jobs.data.length > 0 && <Jobs list={jobs.data} onCancel={(b) => void does(() => cancelBackfill(environment, nameOf(setup), b.id))} />}
    </section>
  );
}
