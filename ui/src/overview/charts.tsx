// SPDX-License-Identifier: Apache-2.0

import { type Figures, type Series, summed } from "../api/figures";
import type { Filter } from "../api/spans";
import type { Line } from "../chart/drawing";
import { Lines } from "../chart/lines";
import { AlertLink } from "../alerts/link";
import { failedFilter, filtersParam, valueFilter } from "../filter/filter";
import { texts } from "../texts";
import { count, dollars, nanoseconds, percent } from "../text/format";
import { beginning } from "../text/visible";
import { link, type Params } from "../url";
import { calls, judged, type Overview, roots } from "./read";

const t = texts.overview.charts;
const most = 5; // models with a line

/** The part of each step that counts, null where there is nothing. */
const sharesOf = (of: Series | undefined, part: string) => (of?.count ?? []).map((n, i) => (n ? (of?.[part]?.[i] ?? 0) / n : null));

/** A chart that says how much there is of something and when. */
function Chart(props: { name: string; finding: string; of: Figures; step: number; show: (v: number) => string; alert: Params; lines: readonly { name: string; values: readonly (number | null)[]; counts: Series | undefined; filters: Filter[] }[] }) {
  const lines = props.lines.map(({ name, values, counts, filters }): Line => ({
    name, values, counts: counts?.count ?? [],
    href: (at) => link(["spans"], { from: String(at), to: String(at + props.step), filters: filtersParam(filters) }),
  }));
  return (
    <section>
      <div class="head">
        <h2>{props.name}</h2>
        <AlertLink chart={props.name} of={props.alert} />
      </div>
      <Lines name={props.name} finding={props.finding} times={props.of.times} step={props.step} lines={lines} open={[]} show={props.show} />
    </section>
  );
}

/** The six charts of a period. */
export function Charts(props: { of: Overview }) {
  const { spans, traces, models, judged: results, step } = props.of;
  const { total, series } = spans;
  const judgedSeries = { count: summed(results, "count"), against: summed(results, "against") };
  const [evaluated, failing] = [results.total.count ?? 0, results.total.against ?? 0];
  return (
    <div class="charts">
      <Chart name={t.traces} finding={t.inAll(count(traces.total.count ?? 0))} of={traces} step={step} show={count} alert={{ metric: "spans", filters: filtersParam([roots]) }}
        lines={[{ name: t.traces, values: traces.series?.count ?? [], counts: traces.series, filters: [roots] }]} />
      <Chart name={t.errors} finding={t.errorsOf(count(total.errors ?? 0), count(total.count ?? 0))} of={spans} step={step} show={percent} alert={{ metric: "error_rate", by: "service_name" }}
        lines={[{ name: t.errors, values: sharesOf(series, "errors"), counts: series, filters: [failedFilter] }]} />
      <Chart name={t.duration} finding={t.durationOf(nanoseconds(total.duration_p50 ?? 0), nanoseconds(total.duration_p95 ?? 0))} of={spans} step={step} show={nanoseconds} alert={{ metric: "duration_p95", by: "service_name" }}
        lines={(["duration_p50", "duration_p95"] as const).map((m) => ({ name: t.percentiles[m], values: series?.[m] ?? [], counts: series, filters: [] }))} />
      <Chart name={t.tokens} finding={t.inAll(count(total.total_tokens ?? 0))} of={spans} step={step} show={count} alert={{ metric: "total_tokens", filters: filtersParam([calls]) }}
        lines={[{ name: t.tokens, values: series?.total_tokens ?? [], counts: series, filters: [calls] }]} />
      <Chart name={t.cost} finding={t.inAll(dollars(total.cost ?? 0))} of={models} step={step} show={dollars} alert={{ metric: "cost", by: "llm.request.model", filters: filtersParam([calls]) }}
        lines={[...models.groups].sort((a, b) => (b.total.cost ?? 0) - (a.total.cost ?? 0)).slice(0, most).map((g) => ({
          name: beginning(g.keys[0] ?? "", 40), values: g.series?.cost ?? [], counts: g.series, filters: [valueFilter("llm.request.model", g.keys[0] ?? "")],
        }))} />
      <Chart name={t.failing} finding={t.failingOf(count(failing), count(evaluated))} of={results} step={step} show={percent} alert={{ metric: "failing_share", by: "service_name" }}
        lines={[{ name: t.failing, values: sharesOf(judgedSeries, "against"), counts: judgedSeries, filters: [judged] }]} />
    </div>
  );
}
