// SPDX-License-Identifier: Apache-2.0

import { type Figures, type Group, ofMetrics } from "../api/figures";
import { Spark } from "../chart/spark";
import { boundsOf, stepOf } from "../period/period";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { Skeleton } from "../shell/skeleton";
import { texts } from "../texts";
import { count, number, percent } from "../text/format";
import { visible } from "../text/visible";
import { format, link, place } from "../url";
import { useLoaded } from "../use";
import { SilentMonitors } from "./silent";
import { few, kindOf, type Wanted } from "./state";

const t = texts.trends;

type Metric = { group: Group; before: Group | undefined; change: number };

/** By how much a metric changed, as a share of what it was. */
function changeOf(now: Group, before: Group | undefined): number {
  const kind = kindOf(now.total);
  if (before === undefined || kind === "text" || (now.total.count ?? 0) < few || (before.total.count ?? 0) < few) return 0;
  if (kind === "boolean") return (now.total.share_true ?? 0) - (before.total.share_true ?? 0);
  const was = before.total.avg ?? 0;
  return was === 0 ? 0 : ((now.total.avg ?? 0) - was) / Math.abs(was);
}

function metricsOf(now: Figures, before: Figures): Metric[] {
  const known = new Map(before.groups.map((g) => [g.keys.join("\n"), g]));
  return now.groups
    .map((group) => ({ group, before: known.get(group.keys.join("\n")), change: changeOf(group, known.get(group.keys.join("\n"))) }))
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
}

function Card(props: { metric: Metric }) {
  const { group, change } = props.metric;
  const [evaluator = "", output = ""] = group.keys;
  const kind = kindOf(group.total);
  const verdicts = group.total.count ?? 0;
  const value = kind === "boolean" ? percent(group.total.share_true ?? 0) : kind === "number" ? number(group.total.avg ?? 0) : count(verdicts);
  const series = (kind === "boolean" ? group.series?.share_true : kind === "number" ? group.series?.avg : group.series?.count) ?? [];
  const { params } = place.value;
  const name = `${visible(evaluator)} ${visible(output)}`;
  return (
    <li>
      <Link href={format({ path: ["verdicts"], params: { ...params, m: `${evaluator}.${output}` } })}>
        <span class="who">{visible(evaluator)}</span> {visible(output)}
      </Link>
      <p class="value-of">
        <b>{value}</b> <span class="hint">{kind === "boolean" ? t.shareTrue : kind === "number" ? t.average : t.texts}</span>
        {change !== 0 && <span class="hint"> {t.change(percent(change))}</span>}
      </p>
      <Spark values={series} name={t.course(name)} />
      <p class="hint">{verdicts < few ? t.few(count(verdicts)) : t.verdicts(count(verdicts))}</p>
    </li>
  );
}

/** Every output that has verdicts in the period; those that changed most come first. */
export function All(props: { environment: string; wanted: Wanted }) {
  const { environment, wanted: w } = props;
  const all = useLoaded(
    async (signal) => {
      const { from, to } = boundsOf(w.period);
      const end = to ?? Math.floor(Date.now() / 1000);
      const asked = { filters: w.filters, by: ["evaluator", "output"], measures: ["count", "share_true", "avg"], top: 50, ...(w.evaluator === "" ? {} : { evaluator: w.evaluator }) };
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
        <ul class={all.busy || all.error ? "cards stale" : "cards"} aria-label={t.title}>
          {all.data.map((m) => (
            <Card key={m.group.keys.join("\n")} metric={m} />
          ))}
        </ul>
      )}
      {w.filters.length === 0 && <SilentMonitors environment={environment} wanted={w} />}
    </>
  );
}
