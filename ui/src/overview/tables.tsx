// SPDX-License-Identifier: Apache-2.0

import type { Figures } from "../api/figures";
import type { Filter } from "../api/spans";
import { failedFilter, failingFilter, filtersParam, valueFilter } from "../filter/filter";
import { type Period, periodParams } from "../period/period";
import { Link } from "../shell/link";
import { Table } from "../table/table";
import { texts } from "../texts";
import { count, dollars, nanoseconds, percent } from "../text/format";
import { beginning } from "../text/visible";
import { link } from "../url";
import { calls, judged, ofType, type Overview } from "./read";

const t = texts.overview.tables;

/** Figures by one field, with links to the spans behind each. */
function Groups(props: { name: string; field: string; of: Figures; results?: Figures; filters: readonly Filter[]; period: Period }) {
  const { of, results, field } = props;
  if (of.groups.length === 0) return null;
  const numbers = [t.calls, t.errors, t.p95, t.tokens, t.cost, ...(results === undefined ? [] : [t.failing])];
  return (
    <section>
      <h2>{props.name}</h2>
      <Table name={props.name} texts={[t.value]} numbers={numbers}>
        {of.groups.map((g) => {
          const key = g.keys[0] ?? "";
          const own = valueFilter(field, key);
          const to = (more: readonly Filter[], params = {}) => link(["spans"], { ...periodParams(props.period), filters: filtersParam([...props.filters, own, ...more]), ...params });
          const n = g.total.count ?? 0;
          const result = results?.groups.find((r) => r.keys[0] === key)?.total;
          return (
            <tr key={key}>
              <th scope="row">
                <Link href={to([])}>{key === "" ? t.without : beginning(key, 60)}</Link>
              </th>
              <td class="number" data-name={t.calls}>{count(n)}</td>
              <td class="number" data-name={t.errors}>
                {g.total.errors ? (
                  <Link class="value" href={to([failedFilter])}>
                    {percent(g.total.errors / n)}
                  </Link>
                ) : (
                  percent(0)
                )}
              </td>
              <td class="number" data-name={t.p95}>
                <Link class="value" href={to([], { sort: "duration" })}>
                  {nanoseconds(g.total.duration_p95 ?? 0)}
                </Link>
              </td>
              <td class="number" data-name={t.tokens}>{count(g.total.total_tokens ?? 0)}</td>
              <td class="number" data-name={t.cost}>{dollars(g.total.cost ?? 0)}</td>
              {results && (
                <td class="number" data-name={t.failing}>
                  {result?.count ? (
                    <Link class="value" href={to([result.against ? failingFilter : judged])}>
                      {percent((result.against ?? 0) / result.count)}
                    </Link>
                  ) : (
                    "–"
                  )}
                </td>
              )}
            </tr>
          );
        })}
      </Table>
    </section>
  );
}

/** The services, models, agents and tools of a period. */
export function Tables(props: { of: Overview; period: Period }) {
  const { of, period } = props;
  return (
    <div class="groups">
      <Groups name={t.services} field="service_name" of={of.services} results={of.judged} filters={[]} period={period} />
      <Groups name={t.models} field="llm.request.model" of={of.models} results={of.judgedModels} filters={[calls]} period={period} />
      <Groups name={t.agents} field="entity" of={of.agents} filters={[ofType("agent")]} period={period} />
      <Groups name={t.tools} field="entity" of={of.tools} filters={[ofType("tool")]} period={period} />
    </div>
  );
}
