// SPDX-License-Identifier: Apache-2.0

import { type Alert, readAlerts } from "../api/alerts";
import { useRounds } from "../rounds";
import { Changes, OnlyReads } from "../shell/changes";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { Skeleton } from "../shell/skeleton";
import { Table } from "../table/table";
import { texts } from "../texts";
import { ago, count } from "../text/format";
import { beginning, visible } from "../text/visible";
import { link } from "../url";
import { useLoaded } from "../use";
import { AlertStatus } from "./status";
import { conditionText, groupText, intervalText, isBad, type Shown, shownOf, valueText, watchedText, worstFirst } from "./words";

const t = texts.alerts;
const every = 10_000; // milliseconds between looks

const byTrouble: readonly Shown[] = ["firing", "no_data", "learning", "ok", "paused"];

/** The last segment of an alert's address: its name, or its id where the name means a page. */
export const nameOf = (a: Pick<Alert, "name" | "id">) => (a.name === "new" ? a.id : a.name);

function Row(props: { of: Alert; now: number }) {
  const { of: a, now } = props;
  const [worst] = worstFirst(a);
  const bad = a.groups.filter((g) => isBad(g.status)).length;
  return (
    <tr>
      <th scope="row">
        <Link href={link(["alerts", nameOf(a)])}>{beginning(a.name, 80)}</Link>
        <p class="hint">
          {watchedText(a)} {conditionText(a.metric, a.condition)}
        </p>
      </th>
      <td>
        <AlertStatus of={a} now={now} />
        {a.error_message && <p class="problem">{beginning(a.error_message, 200)}</p>}
      </td>
      <td data-name={t.columns.since}>{worst?.since === undefined ? "–" : texts.monitors.ago(ago(Date.parse(worst.since), now))}</td>
      <td data-name={t.columns.group}>
        {worst === undefined ? "–" : beginning(groupText(worst), 80)}
        {a.groups.length > 1 && <p class="hint">{t.groupsBad(count(bad), count(a.groups.length))}</p>}
      </td>
      <td class="number" data-name={t.columns.value}>{worst?.value === undefined || worst.value === null ? "–" : valueText(a.metric, worst.value)}</td>
      <td class="number" data-name={t.columns.interval}>{worst === undefined ? "–" : intervalText(a.metric, worst)}</td>
      <td class="number" data-name={t.columns.targets}>{a.targets.length === 0 ? t.noTargets : a.targets.map((one) => visible(one.name)).join(", ")}</td>
    </tr>
  );
}

/** All alerts of the environment, those that ring first. */
export function List(props: { environment: string }) {
  const { round } = useRounds(every);
  const all = useLoaded(async (signal) => ({ alerts: await readAlerts(props.environment, signal), now: Date.now() }), [props.environment, round]);
  const order = (a: Alert) => byTrouble.indexOf(shownOf(a));
  const alerts = [...(all.data?.alerts ?? [])].sort((a, b) => order(a) - order(b));
  return (
    <div class="list">
      <div class="head">
        <h1>{t.title}</h1>
        <Changes>
          <Link href={link(["alerts", "new"])} class="button">
            {t.add}
          </Link>
        </Changes>
      </div>
      <Problem of={all} />
      {all.data === undefined && all.error === undefined && <Skeleton rows={4} />}
      {all.data && alerts.length === 0 && (
        <div class="empty">
          <p>{t.none}</p>
          <OnlyReads />
          <p class="hint">{t.noneHint}</p>
        </div>
      )}
      {alerts.length > 0 && (
        <Table name={t.title} texts={[t.columns.name, t.columns.status, t.columns.since, t.columns.group]} numbers={[t.columns.value, t.columns.interval, t.columns.targets]}>
          {alerts.map((a) => (
            <Row key={a.id} of={a} now={all.data?.now ?? 0} />
          ))}
        </Table>
      )}
    </div>
  );
}
