// SPDX-License-Identifier: Apache-2.0

import { ofEvaluations } from "../api/figures";
import type { Filter } from "../api/spans";
import type { EvaluatorCounts, Setup, SetupStatus } from "../api/monitors";
import { StackedBars } from "../chart/bars";
import { filtersParam } from "../filter/filter";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { Table } from "../table/table";
import { texts } from "../texts";
import { ago, count, dollars } from "../text/format";
import { beginning, visible } from "../text/visible";
import { link } from "../url";
import { useLoaded } from "../use";
import { reasonText } from "../verdict/badge";
import { Against } from "./against";
import { filtersOfRules } from "./draft";
import { Newest } from "./newest";
import { StatusMark } from "./status";

const t = texts.monitors;
const hour = 3600;

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
        <dd>{filters === undefined ? count(s.matched) : <Link href={link(["spans"], { t: "30d", filters: filtersParam(filters) })}>{count(s.matched)}</Link>}</dd>
      </div>
      <div>
        <dt>{t.owed}</dt>
        <dd>{count(s.owed)}</dd>
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
        <StatusMark status={c.status} />
      </td>
      <td class="number" data-name={t.done}>{number(c.done, "done")}</td>
      <td class="number" data-name={t.against}>
        <Against environment={props.environment} setup={props.setup} slug={c.evaluator_type} />
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

function Hours(props: { environment: string; setup: Setup }) {
  const hours = useLoaded(
    (signal) => {
      const from = Math.floor(Date.now() / 1000 / hour) * hour - 23 * hour;
      return ofEvaluations(props.environment, { from, to: undefined, step: hour, by: ["status"], measures: ["count"], setup: props.setup.id }, signal);
    },
    [props.environment, props.setup.id],
  );
  const kinds = [["done", "done"], ["deferred", "owed"], ["failed", "failed"], ["skipped", "skipped"]] as const;
  return (
    <section>
      <h2>{t.byHour}</h2>
      <Problem of={hours} />
      {hours.data && (
        <StackedBars
          name={t.byHour}
          times={hours.data.times}
          step={hour}
          parts={kinds.map(([status, kind]) => ({
            name: kind === "done" ? t.done : texts.verdicts.kinds[kind],
            kind,
            values: hours.data?.groups.find((g) => g.keys[0] === status)?.series?.count ?? [],
          }))}
          href={(at) => link(["spans"], { from: String(at), to: String(at + hour) })}
        />
      )}
    </section>
  );
}

/** What came of a monitor: in sum, by evaluator, and hour by hour, and the spans it matched last. */
export function Overview(props: { environment: string; setup: Setup; status: SetupStatus }) {
  const { setup, status } = props;
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
      <Hours environment={props.environment} setup={setup} />
      <Newest environment={props.environment} setup={setup} />
    </>
  );
}
