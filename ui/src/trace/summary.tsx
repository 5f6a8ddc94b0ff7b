// SPDX-License-Identifier: Apache-2.0

import { ofSpans } from "../api/figures";
import { answerOf, type Filter, questionOf, readSpans, type Row, type SpanQuery } from "../api/spans";
import type { Verdict } from "../api/verdicts";
import { failingFilter } from "../filter/filter";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { texts } from "../texts";
import { count, dollars, milliseconds, nanoseconds } from "../text/format";
import { beginning } from "../text/visible";
import { format, place } from "../url";
import { useLoaded } from "../use";
import { Badge } from "../verdict/badge";
import { kindOf } from "../verdict/kind";
import type { Model } from "./model";

const t = texts.trace.summary;
const most = 5; // failing spans
const shown = 400; // characters of what was said

/** What a trace comes to: what was asked and answered, what it cost, and which results fail. */
async function readSummary(environment: string, model: Model, signal: AbortSignal) {
  const { trace } = model;
  const from = Math.floor(milliseconds(trace.start_ns) / 1000);
  const within = { from, to: Math.ceil((milliseconds(trace.start_ns) + Number(trace.duration_ns) / 1e6) / 1000) + 1 };
  const own: Filter = { id: "trace_id", operator: "equals", value: trace.trace_id };
  const query = (order: SpanQuery["order"], ...more: Filter[]): SpanQuery => ({ ...within, filters: [own, ...more], sort: "timestamp", order, fields: [] });
  const rows = async (q: SpanQuery, limit: number) => (await readSpans(environment, q, "", signal, limit, false)).rows;
  const call: Filter = { id: "span_type", operator: "equals", value: "llm" };
  const [root, first, last, failing, models] = await Promise.all([
    rows(query("ASC", { id: "parent_span_id", operator: "not_exists" }), 1),
    rows(query("ASC", call), 1),
    rows(query("DESC", call), 1),
    rows(query("ASC", failingFilter), most),
    ofSpans(environment, { ...within, filters: [own, { id: "llm.request.model", operator: "exists" }], by: ["llm.request.model"], measures: ["count", "total_tokens", "cost"], top: 10 }, signal),
  ]);
  const one = (of: (row: Row) => string, ...lists: Row[][]) => lists.flatMap((list) => list.map(of)).find((text) => text !== "") ?? "";
  return { question: one(questionOf, root, first), answer: one(answerOf, root, last), failing, models: models.groups };
}

/** The time that spans of each type took without those below them, the longest first, nanoseconds. */
function timeByType(model: Model): [string, number][] {
  const { columns, dictionaries } = model.trace;
  const own = Float64Array.from(columns.duration_ns);
  for (let i = 0; i < model.size; i++) {
    const above = model.tree.parent[i] ?? -1;
    if (above >= 0) own[above] = (own[above] ?? 0) - (columns.duration_ns[i] ?? 0);
  }
  const sums = new Map<string, number>();
  for (let i = 0; i < model.size; i++) {
    const type = dictionaries.type[columns.type[i] ?? -1] ?? "other";
    sums.set(type, (sums.get(type) ?? 0) + Math.max(0, own[i] ?? 0));
  }
  return [...sums].filter(([, ns]) => ns > 0).sort((a, b) => b[1] - a[1]);
}

const fails = (v: Verdict) => kindOf(v) === "against";

/** The summary of a trace of several spans. Room is kept for it, so that nothing below moves when it comes. */
export function Summary(props: { environment: string; model: Model }) {
  const { environment, model } = props;
  const loaded = useLoaded((signal) => readSummary(environment, model, signal), [environment, model]);
  const s = loaded.data;
  const { params } = place.value;
  const to = (span: string) => format({ path: ["traces", model.trace.trace_id], params: { ...params, span, tab: "verdicts" } });
  return (
    <section class="summary" aria-label={t.title}>
      <Problem of={loaded} />
      {s && (
        <dl>
          {s.question !== "" && (
            <div>
              <dt>{t.question}</dt>
              <dd class="said" dir="auto">{beginning(s.question, shown)}</dd>
            </div>
          )}
          {s.answer !== "" && (
            <div>
              <dt>{t.answer}</dt>
              <dd class="said" dir="auto">{beginning(s.answer, shown)}</dd>
            </div>
          )}
          <div>
            <dt>{t.time}</dt>
            {timeByType(model).map(([type, ns]) => (
              <dd key={type}>
                {beginning(type, 40)} {nanoseconds(Math.round(ns))}
              </dd>
            ))}
          </div>
          {s.models.length > 0 && (
            <div>
              <dt>{t.models}</dt>
              {s.models.map((g) => (
                <dd key={g.keys[0]}>{t.model(beginning(g.keys[0] ?? "", 60), count(g.total.count ?? 0), g.total.count ?? 0, count(g.total.total_tokens ?? 0), dollars(g.total.cost ?? 0))}</dd>
              ))}
            </div>
          )}
          {s.failing.length > 0 && (
            <div class="failing">
              <dt>{t.failing}</dt>
              {s.failing.flatMap((row) =>
                row.verdicts.filter(fails).map((v) => (
                  <dd key={row.span_id + v.setup_id + v.evaluator}>
                    <Badge verdict={v} characters={200} /> <Link href={to(row.span_id)}>{beginning(row.name, 60)}</Link>
                  </dd>
                )),
              )}
            </div>
          )}
        </dl>
      )}
    </section>
  );
}
