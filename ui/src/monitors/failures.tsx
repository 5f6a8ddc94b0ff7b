// SPDX-License-Identifier: Apache-2.0

import { type Evaluation, readEvaluations } from "../api/evaluations";
import type { Setup } from "../api/monitors";
import { filtersParam } from "../filter/filter";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { zone, zoneName } from "../shell/settings";
import { Table } from "../table/table";
import { texts } from "../texts";
import { count, milliseconds, moment } from "../text/format";
import { beginning } from "../text/visible";
import { link } from "../url";
import { useLoaded } from "../use";
import { reasonText } from "../verdict/badge";
import { statusFilters } from "../verdict/became";

const t = texts.monitors;
const days = 30;
const most = 10; // evaluations that are listed

function Failed(props: { of: Evaluation }) {
  const { of } = props;
  const at = milliseconds(of.start_ns);
  return (
    <tr>
      <th scope="row">
        <Link href={link(["traces", of.trace_id], { span: of.span_id, at: String(Math.floor(at / 1000)), tab: "verdicts" })}>{moment(at, zone.value).slice(0, 19)}</Link>
      </th>
      <td>{beginning(of.span_name, 80)}</td>
      <td>{beginning(of.evaluator, 80)}</td>
      <td class="said">{beginning(reasonText(of.reason), 300)}</td>
      <td class="number">{count(of.attempts)}</td>
    </tr>
  );
}

/** The evaluations of a monitor that were given up, of the newest spans, each with why. */
export function Failures(props: { environment: string; setup: Setup; changed: string }) {
  const { environment, setup } = props;
  const found = useLoaded(
    async (signal) => {
      const from = Math.floor(Date.now() / 1000) - days * 86_400;
      return (await readEvaluations(environment, { from, setup: setup.id, status: "failed", limit: most }, signal)).evaluations;
    },
    [environment, setup.id, props.changed],
  );
  const list = found.data ?? [];
  return (
    <>
      <Problem of={found} />
      {list.length > 0 && (
        <section class="newest failures">
          <div class="head">
            <h2>{t.failures}</h2>
            <Link href={link(["spans"], { t: `${days}d`, filters: filtersParam(statusFilters("failed", setup.id)) })} class="more">
              {texts.trends.allBehind}
            </Link>
          </div>
          <Table name={t.failures} texts={[texts.spans.columns.time(zoneName.value), t.span, t.evaluator, t.why]} numbers={[t.tries]}>
            {list.map((e) => (
              <Failed key={e.trace_id + e.span_id + e.evaluator} of={e} />
            ))}
          </Table>
        </section>
      )}
    </>
  );
}
