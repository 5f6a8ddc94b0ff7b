// SPDX-License-Identifier: Apache-2.0

import { readMonitoringStatus } from "../api/monitoring";
import { readSetups } from "../api/monitors";
import { boundsOf, type Period, periodOf } from "../period/period";
import { PeriodSelect } from "../period/select";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { Skeleton } from "../shell/skeleton";
import { Nothing } from "../spans/nothing";
import { wanted } from "../spans/state";
import { texts } from "../texts";
import { place } from "../url";
import { useLoaded } from "../use";
import { readSilent } from "../verdicts/why";
import { noticesOf } from "./attention";
import { Charts } from "./charts";
import { FirstMonitors } from "./first";
import { type Overview, readOverview } from "./read";
import { Tables } from "./tables";
import "./overview.css";

const t = texts.overview;

/** What is out of the ordinary in a period, in sentences. */
function Attention(props: { environment: string; period: Period; of: Overview; monitors: number }) {
  const { environment, period, of, monitors } = props;
  const notices = useLoaded(
    async (signal) => {
      const [silent, status] = await Promise.all([readSilent(environment, boundsOf(period), "", signal), readMonitoringStatus(environment, signal)]);
      return noticesOf(environment, period, of, { monitors, silent, status }, signal);
    },
    [environment, of, monitors],
  );
  return (
    <section class="attention">
      <h2>{t.attention}</h2>
      <Problem of={notices} />
      {notices.data === undefined && notices.error === undefined && <Skeleton rows={2} />}
      {notices.data?.length === 0 && <p>{t.calm}</p>}
      {notices.data !== undefined && notices.data.length > 0 && (
        <ul>
          {notices.data.map((n) => (
            <li key={n.text}>
              <Link href={n.href}>{n.text}</Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** How the applications of an environment do: what needs attention, then charts, then who and what. */
export function OverviewScreen(props: { environment: string }) {
  const { environment } = props;
  const { params } = place.value;
  const read = periodOf(params, "24h");
  const period = read ?? "24h";
  const all = useLoaded((signal) => readOverview(environment, period, signal), [environment, JSON.stringify(period)]);
  const setups = useLoaded((signal) => readSetups(environment, signal), [environment]);
  const monitors = setups.data?.length;
  const empty = all.data?.spans.total.count === 0;
  return (
    <div class="list wide">
      <div class="head">
        <h1>{t.title}</h1>
        <PeriodSelect period={period} />
      </div>
      {read === undefined && <p class="problem">{texts.spans.broken(["period"])}</p>}
      <Problem of={all} />
      {all.data === undefined && all.error === undefined && <Skeleton rows={8} />}
      {empty && <Nothing environment={environment} wanted={{ ...wanted({}), period }} onFirst={all.again} />}
      {all.data !== undefined && !empty && (
        <div class={all.busy || all.error ? "overview stale" : "overview"}>
          <Problem of={setups} />
          {monitors !== undefined && <Attention environment={environment} period={period} of={all.data} monitors={monitors} />}
          {monitors === 0 && <FirstMonitors environment={environment} period={period} />}
          <Charts of={all.data} />
          <Tables of={all.data} period={period} />
        </div>
      )}
    </div>
  );
}
