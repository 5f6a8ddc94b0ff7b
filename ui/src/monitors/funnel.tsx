// SPDX-License-Identifier: Apache-2.0

import { readFunnel, type Funnel, type Setup } from "../api/monitors";
import { boundsOf, periodOf } from "../period/period";
import { PeriodSelect } from "../period/select";
import { Problem } from "../shell/problem";
import { texts } from "../texts";
import { count } from "../text/format";
import { sentence } from "../text/sentence";
import { beginning } from "../text/visible";
import { place } from "../url";
import { useLoaded } from "../use";
import { nameOf } from "./status";

const t = texts.monitors;

/** A part of a whole as a bar, next to its number. */
export function Share(props: { part: number; whole: number }) {
  const width = props.whole === 0 ? 0 : (props.part / props.whole) * 100;
  return (
    <svg class="share" aria-hidden="true" viewBox="0 0 100 1" preserveAspectRatio="none">
      <rect class="all" width={100} height={1} />
      <rect width={width} height={1} />
    </svg>
  );
}

function Rules(props: { funnel: Funnel }) {
  const { funnel: f } = props;
  return (
    <table class="table">
      <caption class="unseen">{t.funnelOf}</caption>
      <thead>
        <tr>
          <th scope="col">{t.rule}</th>
          <th scope="col" class="number">
            {t.passed}
          </th>
          <td />
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">{t.all}</th>
          <td class="number">{count(f.spans)}</td>
          <td class="portion">
            <Share part={f.spans} whole={f.spans} />
          </td>
        </tr>
        {f.rules.map((r, i) => (
          <tr key={i} class={f.stops_at === i + 1 ? "stops" : undefined}>
            <th scope="row">
              {i + 1}. {beginning(r.key, 120)} {r.source === "resource_attributes" && <span class="hint">{texts.trace.ofResource}</span>}{" "}
              {texts.trace.operators[r.operator]} <b>{beginning(r.wanted.join(", "), 200)}</b>
            </th>
            <td class="number">{count(r.passed)}</td>
            <td class="portion">
              <Share part={r.passed} whole={f.spans} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** How many spans of a period pass each rule of a monitor, and which they all fail. */
export function FunnelOf(props: { environment: string; setup: Setup }) {
  const period = periodOf(place.value.params, "24h") ?? "24h";
  const key = JSON.stringify(period);
  const funnel = useLoaded((signal) => readFunnel(props.environment, nameOf(props.setup), boundsOf(period).from, signal), [props.setup.id, key]);
  return (
    <section>
      <div class="head">
        <h2>{t.funnelOf}</h2>
        <PeriodSelect period={period} />
      </div>
      <Problem of={funnel} />
      {funnel.data && (
        <>
          <p class={funnel.data.stops_at === undefined ? "hint" : "problem"}>{sentence(funnel.data.sentence)}</p>
          {funnel.data.truncated && <p class="hint">{t.cut}</p>}
          <Rules funnel={funnel.data} />
        </>
      )}
    </section>
  );
}
