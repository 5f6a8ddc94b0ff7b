// SPDX-License-Identifier: Apache-2.0

import { type Figures, type Group, ofMetrics } from "../api/figures";
import { Spark } from "../chart/spark";
import { boundsOf, stepOf } from "../period/period";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { Skeleton } from "../shell/skeleton";
import { Table } from "../table/table";
import { texts } from "../texts";
import { count, number, percent } from "../text/format";
import { intervalOf } from "../text/interval";
import { visible } from "../text/visible";
import { format, link, place } from "../url";
import { useLoaded } from "../use";
import { SilentMonitors } from "./silent";
import { few, kindOf, mayFail, type Wanted } from "./state";

const t = texts.trends;

type Metric = { group: Group; before: Group | undefined };

const countOf = (g: Group | undefined) => g?.total.count ?? 0;
const failingOf = (g: Group | undefined) => (countOf(g) === 0 ? 0 : (g?.total.against ?? 0) / countOf(g));

/** The outputs of a period, those first of which the largest share fails, then those with most results. Reasons of an evaluator belong to its other outputs. */
function metricsOf(now: Figures, before: Figures): Metric[] {
  const known = new Map(before.groups.map((g) => [g.keys.join("\n"), g]));
  return now.groups
    .filter((g) => kindOf(g.total) !== "text" || g.keys[1] !== "reason")
    .map((group) => ({ group, before: known.get(group.keys.join("\n")) }))
    .sort((a, b) => failingOf(b.group) - failingOf(a.group) || countOf(b.group) - countOf(a.group));
}

/** The values of a row of bars that is as high as the largest of them. */
function scaled(values: readonly (number | null)[]): (number | null)[] {
  const most = Math.max(...values.map((v) => v ?? 0));
  return values.map((v) => (v === null || most === 0 ? v : v / most));
}

function Row(props: { metric: Metric }) {
  const { group, before } = props.metric;
  const [evaluator = "", output = ""] = group.keys;
  const { total, series } = group;
  const kind = kindOf(total);
  const n = countOf(group);
  const failing = failingOf(group);
  const judges = mayFail(total);
  const value = kind === "boolean" ? t.isTrue(percent(total.share_true ?? 0)) : kind === "number" ? t.averages(number(total.avg ?? 0)) : t.valuesOf(count(n));
  const [low, high] = intervalOf(total.against ?? 0, n);
  const comparable = judges && n >= few && countOf(before) >= few;
  const change = failing - failingOf(before);
  const trend = judges ? (series?.count ?? []).map((of, i) => (of ? (series?.against?.[i] ?? 0) / of : null)) : (series?.avg ?? series?.count ?? []);
  const { params } = place.value;
  const name = `${visible(evaluator)} ${visible(output)}`;
  return (
    <tr>
      <th scope="row">
        <Link href={format({ path: ["verdicts"], params: { ...params, m: `${evaluator}.${output}` } })}>
          <span class="who">{visible(evaluator)}</span> {visible(output)}
        </Link>
      </th>
      <td data-name={t.columns.value}>{value}</td>
      <td class={failing > 0 ? "number against" : "number"} data-name={t.columns.failing}>
        {judges ? percent(failing) : "–"} {judges && <span class="hint">{t.interval(percent(low), percent(high))}</span>}
      </td>
      <td class="number" data-name={t.columns.change}>{comparable && change !== 0 ? t.points(number(change * 100)) : "–"}</td>
      <td class="number" data-name={t.columns.trend}>
        <Spark values={scaled(trend)} name={t.course(name)} />
      </td>
      <td class="number" data-name={t.columns.count}>
        {count(n)} {n < few && <span class="hint">{t.fewOf}</span>}
      </td>
    </tr>
  );
}

/** Every output that has verdicts in the period, the worst first. */
export function All(props: { environment: string; wanted: Wanted }) {
  const { environment, wanted: w } = props;
  const all = useLoaded(
    async (signal) => {
      const { from, to } = boundsOf(w.period);
      const end = to ?? Math.floor(Date.now() / 1000);
      const asked = { filters: w.filters, by: ["evaluator", "output"], measures: ["count", "share_true", "avg", "against"], top: 50, ...(w.evaluator === "" ? {} : { evaluator: w.evaluator }) };
      const [now, before] = await Promise.all([
        ofMetrics(environment, { ...asked, from, to, step: stepOf(from, end, 30) }, signal),
        ofMetrics(environment, { ...asked, from: Math.max(0, 2 * from - end), to: from - 1 }, signal),
      ]);
      return metricsOf(now, before);
    },
    [environment, JSON.stringify(w)],
  );
  return (
    <>
      <Problem of={all} />
      {all.data === undefined && all.error === undefined && <Skeleton rows={6} />}
      {all.data?.length === 0 && (
        <div class="empty">
          <p>{t.none}</p>
          <p class="actions">
            <Link href={link(["monitors"])} class="button">
              {texts.monitors.title}
            </Link>
          </p>
        </div>
      )}
      {all.data !== undefined && all.data.length > 0 && (
        <div class={all.busy || all.error ? "quality stale" : "quality"}>
          <Table name={t.title} texts={[t.columns.output, t.columns.value]} numbers={[t.columns.failing, t.columns.change, t.columns.trend, t.columns.count]}>
            {all.data.map((m) => (
              <Row key={m.group.keys.join("\n")} metric={m} />
            ))}
          </Table>
        </div>
      )}
      {w.filters.length === 0 && <SilentMonitors environment={environment} wanted={w} />}
    </>
  );
}
