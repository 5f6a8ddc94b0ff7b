// SPDX-License-Identifier: Apache-2.0

import type { Filter } from "../api/spans";
import type { EvaluatorCounts, Setup, SetupStatus } from "../api/monitors";
import { filtersParam } from "../filter/filter";
import { periods } from "../period/period";
import { Link } from "../shell/link";
import { Table } from "../table/table";
import { texts } from "../texts";
import { ago, count, dollars } from "../text/format";
import { beginning, visible } from "../text/visible";
import { link } from "../url";
import { reasonText } from "../verdict/badge";
import { statusFilters } from "../verdict/became";
import { Reviewed } from "../verdict/reviewed";
import { Against } from "./against";
import { filtersOfRules } from "./draft";
import { Failures } from "./failures";
import { Hours } from "./hours";
import { Newest } from "./newest";
import { Readiness } from "./status";

const t = texts.monitors;

/** A number that leads to its spans, where there are any. */
const Counted = (props: { n: number; href: string }) => (props.n === 0 ? <>0</> : <Link href={props.href}>{count(props.n)}</Link>);

function Sums(props: { setup: Setup; status: SetupStatus }) {
  const { status: s } = props;
  const filters = filtersOfRules(props.setup.init_rules);
  const spent = s.max_cost_per_day === undefined ? dollars(s.spent_today) : t.of(dollars(s.spent_today), dollars(s.max_cost_per_day));
  return (
    <dl class="figures">
      <div>
        <dt>{t.seen}</dt>
        <dd>{count(s.seen)}</dd>
      </div>
      <div>
        <dt>{t.matched}</dt>
        <dd>{filters === undefined ? count(s.matched) : <Counted n={s.matched} href={link(["spans"], { t: "30d", filters: filtersParam(filters) })} />}</dd>
      </div>
      <div>
        <dt>{t.owed}</dt>
        <dd>
          <Counted n={s.owed} href={link(["spans"], { t: "30d", filters: filtersParam(statusFilters("deferred", props.setup.id)) })} />
        </dd>
      </div>
      <div>
        <dt>{t.spentToday}</dt>
        <dd>{spent}</dd>
      </div>
    </dl>
  );
}

/** A number of evaluations that leads to their spans. */
function Number(props: { n: number; of: EvaluatorCounts; setup: Setup; member: string; value: string }) {
  const { n, of } = props;
  if (n === 0) return <>0</>;
  const prefix = `touchstone.evaluation.${of.evaluator_type}.`;
  const filters: Filter[] = [
    { id: prefix + props.member, operator: "equals", value: props.value },
    { id: prefix + "setup_id", operator: "equals", value: props.setup.id },
  ];
  return (
    <Link class="value" href={link(["spans"], { t: "30d", filters: filtersParam(filters) })}>
      {count(n)}
    </Link>
  );
}

function Skipped(props: { counts: EvaluatorCounts; setup: Setup }) {
  const reasons = Object.entries(props.counts.skipped).sort((a, b) => b[1] - a[1]);
  return (
    <>
      {reasons.map(([reason, n]) => (
        <div key={reason}>
          <Number n={n} of={props.counts} setup={props.setup} member="reason" value={reason} /> <span class="hint">{beginning(reasonText(reason), 80)}</span>
        </div>
      ))}
      {reasons.length === 0 && "0"}
    </>
  );
}

function EvaluatorRow(props: { environment: string; counts: EvaluatorCounts; setup: Setup }) {
  const { counts: c } = props;
  const number = (n: number, status: string) => <Number n={n} of={c} setup={props.setup} member="status" value={status} />;
  return (
    <tr>
      <th scope="row">
        <Link href={link(["verdicts"], { m: c.evaluator_type })}>{visible(c.evaluator_type)}</Link>
        {(c.error_message ?? c.last_error) && <p class="problem">{c.error_message ? beginning(c.error_message, 300) : t.lastError(beginning(c.last_error ?? "", 300))}</p>}
      </th>
      <td>
        <Readiness status={c.status} />
      </td>
      <td class="number" data-name={t.done}>{number(c.done, "done")}</td>
      <td class="number" data-name={t.against}>
        <Against environment={props.environment} setup={props.setup} slug={c.evaluator_type} changed={c.done} />
      </td>
      <td class="number" data-name={t.owed}>{number(c.deferred, "deferred")}</td>
      <td class="number" data-name={t.failed}>{number(c.failed, "failed")}</td>
      <td class="number" data-name={t.skipped}>
        <Skipped counts={c} setup={props.setup} />
      </td>
      <td class="number" data-name={t.cost}>{dollars(c.cost)}</td>
      <td class="number" data-name={t.last}>{c.last_run === undefined ? t.never : t.ago(ago(Date.parse(c.last_run), Date.now()))}</td>
    </tr>
  );
}

/** What came of a monitor: in sum, by evaluator, and hour by hour, and the spans it matched last. */
export function Overview(props: { environment: string; setup: Setup; status: SetupStatus }) {
  const { setup, status } = props;
  const changed = status.evaluators.map((c) => [c.matched, c.done, c.deferred, c.failed, c.seen === 0].join()).join(";");
  return (
    <>
      <Sums setup={setup} status={status} />
      <section>
        <h2>{t.evaluators}</h2>
        <Table name={t.evaluators} texts={[t.evaluator, t.columns.status]} numbers={[t.done, t.against, t.owed, t.failed, t.skipped, t.cost, t.last]}>
              {status.evaluators.map((c) => (
                <EvaluatorRow key={c.evaluator_type} environment={props.environment} counts={c} setup={setup} />
              ))}
        </Table>
      </section>
      <section>
        <h2>{t.reviews}</h2>
        <ul class="reviewed">
          {status.evaluators.map((c) => (
            <Reviewed key={c.evaluator_type} environment={props.environment} evaluator={c.evaluator_type} setup={setup.id} from={Math.floor(Date.now() / 1000) - periods["30d"]} />
          ))}
        </ul>
      </section>
      <Hours environment={props.environment} setup={setup} changed={changed} />
      {status.evaluators.some((c) => c.failed > 0) && <Failures environment={props.environment} setup={setup} changed={changed} />}
      <Newest environment={props.environment} setup={setup} changed={changed} />
    </>
  );
}
