// SPDX-License-Identifier: Apache-2.0

import type { Filter, Span } from "../api/spans";
import { Link } from "../shell/link";
import { zone } from "../shell/settings";
import { texts } from "../texts";
import { count, duration, moment } from "../text/format";
import { beginning, visible } from "../text/visible";

const t = texts.spans;
const maxVerdicts = 2;

/** What the model is called, and the attribute that says so. */
function modelOf(span: Span): [id: string, value: string] | undefined {
  for (const id of ["llm.request.model", "llm.response.model"]) {
    const value = span.span_attributes[id];
    if (value !== undefined && value !== "") return [id, value];
  }
  return undefined;
}

function Verdicts(props: { span: Span }) {
  const found = Object.entries(props.span.span_attributes).filter(([name]) => name.startsWith("evaluation."));
  return (
    <>
      {found.slice(0, maxVerdicts).map(([name, value]) => (
        <span class="verdict" key={name}>
          {beginning(name.slice("evaluation.".length), 60)} = {beginning(value, 24)}
        </span>
      ))}
      {found.length > maxVerdicts && <span class="hint">{t.moreVerdicts(found.length - maxVerdicts)}</span>}
    </>
  );
}

/** Spans, one a row. A value leads to the spans that have it. */
export function SpanTable(props: { spans: readonly Span[]; only: (f: Filter) => string }) {
  const value = (id: string, text: string) =>
    text !== "" && (
      <Link href={props.only({ id, operator: "equals", value: text })} class="value">
        {beginning(text, 80)}
      </Link>
    );
  return (
    <table class="spans">
      <caption class="unseen">{t.title}</caption>
      <thead>
        <tr>
          <th scope="col">{t.columns.time(texts.header.zoneShort[zone.value])}</th>
          <th scope="col">{t.columns.name}</th>
          <th scope="col">{t.columns.service}</th>
          <th scope="col">{t.columns.model}</th>
          <th scope="col" class="number">
            {t.columns.took}
          </th>
          <th scope="col" class="number">
            {t.columns.tokens}
          </th>
          <th scope="col">{t.columns.output}</th>
          <th scope="col">{t.columns.verdicts}</th>
        </tr>
      </thead>
      <tbody>
        {props.spans.map((s) => {
          const model = modelOf(s);
          const tokens = Number(s.span_attributes["llm.usage.total_tokens"] ?? NaN);
          return (
            <tr key={s.trace_id + s.span_id + s.timestamp}>
              <td class="time">{moment(s.timestamp, zone.value)}</td>
              <td>
                {value("span_name", s.span_name)} {s.status_code === "STATUS_CODE_ERROR" && <span class="error">! {t.error}</span>}
              </td>
              <td>{value("service_name", s.service_name)}</td>
              <td>{model && value(...model)}</td>
              <td class="number">{duration(s.duration)}</td>
              <td class="number" data-unit={t.tokens}>
                {Number.isFinite(tokens) ? count(tokens) : ""}
              </td>
              <td class="output" title={visible(s.output.slice(0, 400))}>
                {beginning(s.output, 160)}
              </td>
              <td>
                <Verdicts span={s} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
