// SPDX-License-Identifier: Apache-2.0

import { ofMetrics } from "../api/figures";
import type { Filter } from "../api/spans";
import { againstOf } from "../filter/filter";
import { boundsOf } from "../period/period";
import { Link } from "../shell/link";
import { Table } from "../table/table";
import { texts } from "../texts";
import { count } from "../text/format";
import { beginning } from "../text/visible";
import { useLoaded } from "../use";
import type { Wanted } from "./state";

const t = texts.trends;
const most = 10;
const longest = 250; // characters of a text that the API groups by whole

/** The reasons that an evaluator gives most, of failing results where it is known which those are. */
export function Reasons(props: { environment: string; wanted: Wanted; good: boolean | string | undefined; href: (filters: Filter[]) => string }) {
  const { environment, wanted: w, good } = props;
  const against = good === undefined ? [] : againstOf(`evaluation.${w.evaluator}.${w.output}`, good);
  const found = useLoaded(
    (signal) => ofMetrics(environment, { ...boundsOf(w.period), filters: [...w.filters, ...against], evaluator: w.evaluator, output: "reason", by: ["value"], measures: ["count"], top: most }, signal),
    [environment, JSON.stringify([w, against])],
  );
  const groups = found.data?.groups.filter((g) => (g.keys[0] ?? "") !== "") ?? [];
  if (groups.length === 0) return null;
  return (
    <section>
      <h2>{against.length > 0 ? t.reasonsAgainst : t.reasons}</h2>
      <Table name={t.reasons} texts={[t.why]} numbers={[t.count]}>
        {groups.map((g) => {
          const reason = g.keys[0] ?? "";
          const n = count(g.total.count ?? 0);
          return (
            <tr key={reason}>
              <th scope="row" class="said" dir="auto">{beginning(reason, 300)}</th>
              <td class="number" data-name={t.count}>
                {reason.length > longest ? n : <Link href={props.href([...against, { id: `evaluation.${w.evaluator}.reason`, operator: "equals", value: reason }])}>{n}</Link>}
              </td>
            </tr>
          );
        })}
      </Table>
    </section>
  );
}
