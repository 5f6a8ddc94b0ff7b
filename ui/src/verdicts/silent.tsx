// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import type { Setup } from "../api/monitors";
import { filtersParam } from "../filter/filter";
import { boundsOf, periodParams } from "../period/period";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { zone } from "../shell/settings";
import { Table } from "../table/table";
import { texts } from "../texts";
import { ago, count, moment } from "../text/format";
import { beginning, visible } from "../text/visible";
import { link } from "../url";
import { useLoaded } from "../use";
import { reasonText } from "../verdict/badge";
import type { Wanted } from "./state";
import { readSilent, readWhy, type Became, type Silent, type Why } from "./why";

const t = texts.trends.silent;
const each = 5; // monitors of which it is asked why at once

/** What became of an evaluator's evaluations, with a link to their spans. */
function BecameOf(props: { of: Became; setup: Setup; within: { from: number; to: number } }) {
  const { of, setup, within } = props;
  const prefix = `touchstone.evaluation.${of.evaluator}.`;
  const member = of.reason === "" ? ({ id: prefix + "status", operator: "equals", value: of.status } as const) : ({ id: prefix + "reason", operator: "equals", value: of.reason } as const);
  const filters = filtersParam([member, { id: prefix + "setup_id", operator: "equals", value: setup.id }]);
  return (
    <li>
      {visible(of.evaluator)}:{" "}
      <Link class="value" href={link(["spans"], { from: String(within.from), to: String(within.to), filters })}>
        {t.became[of.status](count(of.n))}
      </Link>
      {of.reason !== "" && `: ${reasonText(of.reason)}`}
    </li>
  );
}

function Told(props: { why: Why; setup: Setup; wanted: Wanted; within: { from: number; to: number } }) {
  const { why, setup } = props;
  const to = (tab: string) => link(["monitors", setup.id], { tab, ...periodParams(props.wanted.period) });
  switch (why.kind) {
    case "became":
      return (
        <>
          <ul>
            {why.parts.map((p) => (
              <BecameOf key={p.evaluator + p.status + p.reason} of={p} setup={setup} within={props.within} />
            ))}
          </ul>
          {why.lastError !== "" && <p class="problem">{texts.monitors.lastError(beginning(why.lastError, 300))}</p>}
        </>
      );
    case "paused":
      return <>{texts.monitors.paused(moment(Date.parse(why.since), zone.value).slice(0, 16))}</>;
    case "later":
      return <>{t.later(moment(Date.parse(setup.created_at), zone.value).slice(0, 16))}</>;
    case "passed":
      return (
        <>
          {t.passed(count(why.spans))} <Link href={to("backfill")}>{texts.monitors.judgeThem}</Link>
        </>
      );
    case "unmatched":
      return (
        <>
          {beginning(why.sentence, 400)}. <Link href={to("funnel")}>{texts.monitors.tabs.funnel}</Link>
        </>
      );
    case "nothing":
      return <>{texts.spans.none}</>;
  }
}

function Row(props: { environment: string; of: Silent; wanted: Wanted }) {
  const { environment, of } = props;
  const { from, to } = boundsOf(props.wanted.period);
  const within = { from, to: to ?? Math.floor(Date.now() / 1000), open: to === undefined };
  const why = useLoaded((signal) => readWhy(environment, of, within, signal), [environment, of.setup.id, JSON.stringify([of.evaluators, props.wanted.period])]);
  return (
    <tr>
      <th scope="row">
        <Link href={link(["monitors", of.setup.id])}>{beginning(of.setup.external_id, 80)}</Link>
      </th>
      <td data-name={texts.monitors.evaluators}>{of.evaluators.map((e) => visible(e.slug)).join(", ")}</td>
      <td class="said">
        <Problem of={why} />
        {why.data && <Told why={why.data.why} setup={of.setup} wanted={props.wanted} within={within} />}
      </td>
      <td class="number" data-name={texts.monitors.last}>
        {why.data && (why.data.last === undefined ? texts.monitors.never : texts.monitors.ago(ago(Date.parse(why.data.last), Date.now())))}
      </td>
    </tr>
  );
}

/** Monitors of which evaluators gave no verdict in the period, each with why; of one evaluator where one is looked at. */
export function SilentMonitors(props: { environment: string; wanted: Wanted }) {
  const { environment, wanted: w } = props;
  const [shown, setShown] = useState(each);
  const silent = useLoaded((signal) => readSilent(environment, boundsOf(w.period), w.evaluator, signal), [environment, JSON.stringify([w.period, w.evaluator])]);
  const list = silent.data ?? [];
  return (
    <>
      <Problem of={silent} />
      {list.length > 0 && (
        <section class="silent">
          <h2>{t.title}</h2>
          <Table name={t.title} texts={[texts.monitors.columns.name, texts.monitors.evaluators, t.why]} numbers={[texts.monitors.last]}>
            {list.slice(0, shown).map((s) => (
              <Row key={s.setup.id} environment={environment} of={s} wanted={w} />
            ))}
          </Table>
          {list.length > shown && (
            <button class="quiet" onClick={() => setShown(shown + each)}>
              {t.more(Math.min(each, list.length - shown), list.length - shown)}
            </button>
          )}
        </section>
      )}
    </>
  );
}
