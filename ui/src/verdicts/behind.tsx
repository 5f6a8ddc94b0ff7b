// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { type Filter, readSpans, type Row, type Sort, type SpanQuery } from "../api/spans";
import { againstOf, filtersParam } from "../filter/filter";
import { boundsOf } from "../period/period";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { zone, zoneName } from "../shell/settings";
import { Table } from "../table/table";
import { texts } from "../texts";
import { milliseconds, moment } from "../text/format";
import { beginning } from "../text/visible";
import { link } from "../url";
import { useLoaded } from "../use";
import { outputText } from "../verdict/kind";
import type { Kind, Wanted } from "./state";

const t = texts.trends;
const most = 10; // spans that are listed here

/** Which spans are listed, and in which order. */
type Choice = { name: string; filters: readonly Filter[]; sort: Sort; order: "ASC" | "DESC" };

/** What can be listed of an output: the worst ones where a user has said what is good, both ends of numbers, and always the newest. */
function choicesOf(kind: Kind, id: Sort & `evaluation.${string}`, good: boolean | string | undefined): Choice[] {
  const there: Filter = { id, operator: "exists" };
  const newest: Choice = { name: t.newest, filters: [there], sort: "timestamp", order: "DESC" };
  if (kind === "number") {
    return [
      { name: t.lowest, filters: [there], sort: id, order: "ASC" },
      { name: t.highest, filters: [there], sort: id, order: "DESC" },
      newest,
    ];
  }
  if (good === undefined) return [newest];
  return [{ ...newest, name: t.worst, filters: againstOf(id, good) }, newest];
}

/** The value that a span got for the output, and the reason that its judge gave: the other text outputs. */
function saidOf(row: Row, w: Wanted): { value: string; reasons: string[] } {
  const verdict = row.verdicts.find((v) => v.evaluator === w.evaluator && v.status === "done" && w.output in v.outputs);
  if (verdict === undefined) return { value: "", reasons: [] };
  const { [w.output]: value, ...others } = verdict.outputs;
  return { value: value === undefined ? "" : outputText(value), reasons: Object.values(others).filter((o) => typeof o === "string" && o !== "") as string[] };
}

function Found(props: { row: Row; wanted: Wanted }) {
  const { row } = props;
  const at = milliseconds(row.start_ns);
  const { value, reasons } = saidOf(row, props.wanted);
  const answer = row.preview.answer || row.preview.output;
  return (
    <tr>
      <th scope="row">
        <Link href={link(["traces", row.trace_id], { span: row.span_id, at: String(Math.floor(at / 1000)), tab: "verdicts" })}>{moment(at, zone.value).slice(0, 19)}</Link>
      </th>
      <td>{beginning(value, 120)}</td>
      <td class="said">{reasons.length === 0 ? "–" : reasons.map((r) => beginning(r, 400)).join(" ")}</td>
      <td class="said">{beginning(answer, 160)}</td>
    </tr>
  );
}

/** Spans behind the verdicts of an output, with what their judge said of why. */
export function Behind(props: {
  environment: string;
  wanted: Wanted;
  kind: Kind;
  /** The value that speaks for what was judged, where a user has said one; ready once that is known. */
  good: boolean | string | undefined;
  ready: boolean;
}) {
  const { environment, wanted: w, kind, ready } = props;
  const id = `evaluation.${w.evaluator}.${w.output}` as const;
  const [chosen, setChosen] = useState(0);
  const choices = choicesOf(kind, id, props.good);
  const choice = choices[Math.min(chosen, choices.length - 1)]!;
  const asked = { filters: [...w.filters, ...choice.filters], sort: choice.sort, order: choice.order };
  const found = useLoaded(
    async (signal) => {
      if (!ready) return undefined;
      const query: SpanQuery = { ...boundsOf(w.period), ...asked, fields: [] };
      return (await readSpans(environment, query, "", signal, most)).rows;
    },
    [environment, JSON.stringify([w.period, asked]), ready],
  );
  const { from, to } = boundsOf(w.period);
  const all = link(["spans"], {
    from: String(from), to: String(to ?? Math.floor(Date.now() / 1000)), filters: filtersParam(asked.filters), cols: JSON.stringify([id]),
    ...(choice.sort === "timestamp" ? {} : { sort: choice.sort, order: choice.order }),
  });
  return (
    <section class="behind">
      <div class="head">
        <h2>{t.behind}</h2>
        <div class="choice" role="group" aria-label={t.behind}>
          {choices.map((c, i) => (
            <button key={c.name} aria-pressed={c === choice} onClick={() => setChosen(i)}>
              {c.name}
            </button>
          ))}
        </div>
        <Link href={all} class="more">
          {t.allBehind}
        </Link>
      </div>
      <Problem of={found} />
      {found.data?.length === 0 && <p>{texts.spans.noMatch}</p>}
      {found.data !== undefined && found.data.length > 0 && (
        <Table name={t.behind} texts={[texts.spans.columns.time(zoneName.value), t.value, t.why, texts.spans.columns.output]} numbers={[]}>
          {found.data.map((row) => (
            <Found key={row.trace_id + row.span_id} row={row} wanted={w} />
          ))}
        </Table>
      )}
    </section>
  );
}
