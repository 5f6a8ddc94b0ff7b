// SPDX-License-Identifier: Apache-2.0

import type { Setup } from "../api/monitors";
import { type Filter, questionOf, readSpans, type Row } from "../api/spans";
import { filtersParam } from "../filter/filter";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { zone, zoneName } from "../shell/settings";
import { Table } from "../table/table";
import { texts } from "../texts";
import { milliseconds, moment } from "../text/format";
import { beginning } from "../text/visible";
import { link } from "../url";
import { useLoaded } from "../use";
import { Badge } from "../verdict/badge";
import { byWeight } from "../verdict/kind";

const t = texts.monitors;
const days = 30;
const most = 10; // spans that are listed

function Matched(props: { row: Row; setup: Setup }) {
  const { row, setup } = props;
  const at = milliseconds(row.start_ns);
  return (
    <tr>
      <th scope="row">
        <Link href={link(["traces", row.trace_id], { span: row.span_id, at: String(Math.floor(at / 1000)), tab: "verdicts" })}>{moment(at, zone.value).slice(0, 19)}</Link>
      </th>
      <td class="said">{beginning(questionOf(row), 160)}</td>
      <td class="said">{beginning(row.preview.answer || row.preview.output, 160)}</td>
      <td>
        {byWeight(row.verdicts.filter((v) => v.setup_id === setup.id)).map((v) => (
          <div key={v.evaluator}>
            <Badge verdict={v} characters={80} short />
          </div>
        ))}
      </td>
    </tr>
  );
}

/** The newest spans that a monitor matched: what was asked, what was answered, and what became of its evaluators. */
export function Newest(props: { environment: string; setup: Setup; changed: string }) {
  const { environment, setup } = props;
  const filters: Filter[] = [{ id: "touchstone.evaluation.setup_id", operator: "equals", value: setup.id }];
  const found = useLoaded(
    async (signal) => {
      const from = Math.floor(Date.now() / 1000) - days * 86_400;
      return (await readSpans(environment, { from, to: undefined, filters, sort: "timestamp", order: "DESC", fields: [] }, "", signal, most)).rows;
    },
    [environment, setup.id, props.changed],
  );
  return (
    <section class="newest">
      <div class="head">
        <h2>{t.newest}</h2>
        <Link href={link(["spans"], { t: `${days}d`, filters: filtersParam(filters) })} class="more">
          {texts.trends.allBehind}
        </Link>
      </div>
      <Problem of={found} />
      {found.data?.length === 0 && <p>{texts.spans.noMatch}</p>}
      {found.data !== undefined && found.data.length > 0 && (
        <Table name={t.newest} texts={[texts.spans.columns.time(zoneName.value), texts.trace.input, texts.spans.columns.output, texts.spans.columns.verdicts]} numbers={[]}>
          {found.data.map((row) => (
            <Matched key={row.trace_id + row.span_id} row={row} setup={setup} />
          ))}
        </Table>
      )}
    </section>
  );
}
