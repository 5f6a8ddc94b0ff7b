// SPDX-License-Identifier: Apache-2.0

import { type Agreeing, type Agreement as Answer, type Judge, readAgreement, type Side } from "../api/agreement";
import { type Figures, ofMetrics } from "../api/figures";
import type { Filter } from "../api/spans";
import { boundsOf } from "../period/period";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { zone } from "../shell/settings";
import { Heads, Table } from "../table/table";
import { texts } from "../texts";
import { count, moment, number, percent } from "../text/format";
import { beginning, visible } from "../text/visible";
import { change, link, place } from "../url";
import { useLoaded } from "../use";
import { filterOfGroup, type Kind, kindOf, type Wanted } from "./state";

const t = texts.agreement;
const ways = ["", "prompt_version", "llm.response.model", "prompt_version,llm.response.model", "service_name"] as const;

type Metrics = ReadonlyMap<string, Kind>;

/** The spans of which a metric says what counts as a category. */
function filterOf(side: Side, category: string): Filter {
  const id = "evaluation." + side.metric;
  const is = category === "true";
  if (side.min) return { id, operator: is ? "greater_than_or_equal" : "less_than", value: Number(side.min) };
  if (side.true) return { id, operator: is ? "in" : "not_in", value: side.true.split(",") };
  return { id, operator: "equals", value: category };
}

const judgeText = (of: Judge | undefined) => [of?.model ?? "", of?.version ?? ""].filter((x) => x !== "").map((x) => beginning(x, 60)).join(" ") || t.itself;

function Kappa(props: { of: Agreeing }) {
  const k = props.of.kappa;
  return k === null ? <>–</> : <>{t.interval(number(k.value), number(k.low), number(k.high))}</>;
}

/** What counts as true of a side whose values are not true and false. */
function Counts(props: { name: "a" | "b"; metric: string; kind: Kind | undefined }) {
  const { name, kind } = props;
  if (kind === undefined || kind === "boolean") return null;
  const param = name + (kind === "number" ? "_min" : "_true");
  const label = kind === "number" ? t.trueFrom(visible(props.metric)) : t.trueIf(visible(props.metric));
  return (
    <label class="inline">
      {label}{" "}
      <input
        inputMode={kind === "number" ? "decimal" : undefined}
        spellcheck={false}
        autocomplete="off"
        value={place.value.params[param] ?? ""}
        onChange={(e) => change({ [param]: e.currentTarget.value })}
      />
    </label>
  );
}

/** How far the verdicts of an output agree with those of another giver, on the spans that both judged. */
export function Agreement(props: { environment: string; wanted: Wanted; kind: Kind; spans: (more: readonly Filter[]) => string }) {
  const { environment, wanted: w } = props;
  const { params } = place.value;
  const own = `${w.evaluator}.${w.output}`;
  const bounds = boundsOf(w.period);
  const known = useLoaded<Metrics>(
    async (signal) => metricsOf(await ofMetrics(environment, { from: bounds.from, to: bounds.to, by: ["evaluator", "output"], measures: ["count", "share_true", "avg"], top: 50 }, signal)),
    [environment, JSON.stringify(w.period)],
  );
  const other = params.with ?? "";
  const others = [...new Set([...(known.data?.keys() ?? []), ...(other === "" ? [] : [other])])].filter((m) => m !== own).sort();
  if (others.length === 0) return <Problem of={known} />;
  return (
    <section class="agreement">
      <h2>{t.title}</h2>
      <div class="head">
        <label class="inline">
          {t.with}{" "}
          <select value={other} onChange={(e) => change({ with: e.currentTarget.value, b_min: "", b_true: "" })}>
            <option value="">{t.nobody}</option>
            {others.map((m) => (
              <option key={m} value={m}>
                {beginning(m, 80)}
              </option>
            ))}
          </select>
        </label>
        {other !== "" && (
          <>
            <Counts name="a" metric={own} kind={props.kind} />
            <Counts name="b" metric={other} kind={known.data?.get(other)} />
            <label class="inline">
              {t.by}{" "}
              <select value={params.agree ?? ""} onChange={(e) => change({ agree: e.currentTarget.value })}>
                {[...new Set([...ways, params.agree ?? ""])].map((way) => (
                  <option key={way} value={way}>
                    {way === "" ? t.judges : way.split(",").map((f) => t.fields[f] ?? beginning(f, 60)).join(t.and)}
                  </option>
                ))}
              </select>
            </label>
          </>
        )}
      </div>
      {other === "" ? <p class="hint">{t.about}</p> : <Between {...props} own={own} other={other} />}
    </section>
  );
}

function metricsOf(figures: Figures): Metrics {
  return new Map(figures.groups.map((g) => [g.keys.join("."), kindOf(g.total)]));
}

function Between(props: { environment: string; wanted: Wanted; own: string; other: string; spans: (more: readonly Filter[]) => string }) {
  const { environment, wanted: w, spans } = props;
  const { params } = place.value;
  const a: Side = { metric: props.own, min: params.a_min, true: params.a_true };
  const b: Side = { metric: props.other, min: params.b_min, true: params.b_true };
  const by = (params.agree ?? "").split(",").filter((f) => f !== "");
  const { from, to } = boundsOf(w.period);
  const loaded = useLoaded((signal) => readAgreement(environment, a, b, { from, to, by }, signal), [environment, JSON.stringify([a, b, by, w.period])]);
  const all = loaded.data;
  if (all === undefined) return <Problem of={loaded} />;
  return (
    <>
      <Problem of={loaded} />
      {all.spans === 0 ? (
        <p>{t.none}</p>
      ) : (
        <>
          <p>
            <b>{t.share(percent(all.accuracy ?? 0))}</b> {t.of(count(all.spans), all.spans)} {t.kappa} <Kappa of={all} />. <span class="hint">{t.kappaHint}</span>
          </p>
          {all.truncated && <p class="note">{t.truncated}</p>}
          {w.filters.length > 0 && <p class="note">{t.unfiltered}</p>}
          <Confusion of={all} a={a} b={b} spans={spans} />
          <Groups of={all} by={by} a={a} b={b} spans={spans} />
          <Differ of={all} />
        </>
      )}
    </>
  );
}

function Confusion(props: { of: Answer; a: Side; b: Side; spans: (more: readonly Filter[]) => string }) {
  const { of, a, b } = props;
  return (
    <div class="across">
      <table class="table">
        <caption>{t.confusion(visible(a.metric), visible(b.metric))}</caption>
        <Heads texts={[visible(a.metric)]} numbers={of.categories.map((c) => beginning(c, 40))} />
        <tbody>
          {of.categories.map((row, i) => (
            <tr key={row}>
              <th scope="row">{beginning(row, 40)}</th>
              {of.categories.map((column, j) => (
                <td class="number" data-name={beginning(column, 40)} key={column}>
                  {of.confusion[i]?.[j] ? <Link href={props.spans([filterOf(a, row), filterOf(b, column)])}>{count(of.confusion[i]?.[j] ?? 0)}</Link> : 0}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Groups(props: { of: Answer; by: readonly string[]; a: Side; b: Side; spans: (more: readonly Filter[]) => string }) {
  const { by } = props;
  const both: Filter[] = [props.a, props.b].map((s) => ({ id: "evaluation." + s.metric, operator: "exists" }));
  const columns = by.length === 0 ? [visible(props.a.metric), visible(props.b.metric)] : by.map((f) => t.fields[f] ?? beginning(f, 60));
  return (
    <Table name={t.groups} texts={columns} numbers={[t.spans, t.agree, t.kappa]}>
      {props.of.groups.map((g, i) => {
        const names = g.rest ? by.map((_, n) => (n === 0 ? t.rest : "")) : (g.keys?.map((k) => (k === "" ? texts.trends.without : beginning(k, 80))) ?? [judgeText(g.a), judgeText(g.b)]);
        const filters = g.keys?.flatMap((k, n) => filterOfGroup(by[n] ?? "", k) ?? []);
        return (
          <tr key={i}>
            {names.map((name, n) => (n === 0 ? <th scope="row" key={n}>{name}</th> : <td key={n} data-name={columns[n]}>{name}</td>))}
            <td class="number" data-name={t.spans}>{filters ? <Link href={props.spans([...both, ...filters])}>{count(g.spans)}</Link> : count(g.spans)}</td>
            <td class="number" data-name={t.agree}>{g.accuracy === null ? "–" : percent(g.accuracy)}</td>
            <td class="number" data-name={t.kappa}>
              <Kappa of={g} />
            </td>
          </tr>
        );
      })}
    </Table>
  );
}

function Differ(props: { of: Answer }) {
  if (props.of.differ.length === 0) return null;
  return (
    <>
      <h3>{t.differ}</h3>
      <ul class="differ">
        {props.of.differ.map((d) => (
          <li key={d.trace_id + d.span_id}>
            <Link href={link(["traces", d.trace_id], { span: d.span_id, tab: "verdicts", at: String(Math.floor(d.timestamp / 1000)) })}>{beginning(d.span_name, 80) || d.span_id}</Link>{" "}
            <span class="hint">{moment(d.timestamp, zone.value)}</span> {t.against(beginning(d.a, 40), beginning(d.b, 40))}
          </li>
        ))}
      </ul>
    </>
  );
}
