// SPDX-License-Identifier: Apache-2.0

import type { TargetedMouseEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Filter, Row, Sort } from "../api/spans";
import { bind } from "../shell/keys";
import { Link } from "../shell/link";
import { zone } from "../shell/settings";
import { texts } from "../texts";
import { count, milliseconds, moment, nanoseconds } from "../text/format";
import { beginning, visible } from "../text/visible";
import { go, link } from "../url";
import { Badge } from "../verdict/badge";
import { byWeight } from "../verdict/kind";

const t = texts.spans;
const maxVerdicts = 2;

/** Fields that say what the model is called; the first that a span has is its model. */
export const modelFields = ["llm.response.model", "llm.request.model"] as const;

type Only = (f: Filter) => string;

export type Sorting = { by: Sort; order: "ASC" | "DESC"; href: (by: Sort) => string };

const traceOf = (row: Row) => link(["traces", row.trace_id], { span: row.span_id, at: String(Math.floor(milliseconds(row.start_ns) / 1000)) });

function Heading(props: { of: Sort; name: string; number?: boolean; sorting: Sorting }) {
  const { sorting: s } = props;
  const sorted = s.by === props.of;
  return (
    <th scope="col" class={props.number ? "number" : undefined} aria-sort={sorted ? (s.order === "ASC" ? "ascending" : "descending") : undefined}>
      <Link class="sort" href={s.href(props.of)}>
        <span class="unseen">{t.sortBy(props.name)}: </span>
        {props.name}
        <span aria-hidden="true">{sorted ? (s.order === "ASC" ? " ▴" : " ▾") : ""}</span>
      </Link>
    </th>
  );
}

function Verdicts(props: { row: Row; only: Only }) {
  const { verdicts } = props.row;
  return (
    <>
      {byWeight(verdicts)
        .slice(0, maxVerdicts)
        .map((v) => (
          <Badge key={v.setup_id + v.evaluator} verdict={v} only={props.only} characters={24} short />
        ))}
      {verdicts.length > maxVerdicts && (
        <Link class="value hint" href={traceOf(props.row) + "&tab=verdicts"}>
          {texts.verdicts.more(verdicts.length - maxVerdicts)}
        </Link>
      )}
    </>
  );
}

/** A value that leads to the spans that have it. */
function Value(props: { id: string; text: string; only: Only }) {
  if (props.text === "") return null;
  return (
    <Link href={props.only({ id: props.id, operator: "equals", value: props.text })} class="value">
      {beginning(props.text, 80)}
    </Link>
  );
}

function SpanRow(props: { row: Row; only: Only; columns: readonly string[] }) {
  const { row, only } = props;
  const at = moment(milliseconds(row.start_ns), zone.value);
  const model = modelFields.find((f) => (row.fields[f] ?? "") !== "");
  const said = row.preview.answer || row.preview.output;
  const open = (e: TargetedMouseEvent<HTMLTableRowElement>) => {
    if (e.target instanceof Element && e.target.closest("a, button") !== null) return;
    if (getSelection()?.isCollapsed === false) return; // somebody marks text
    go(traceOf(row));
  };
  return (
    <tr onClick={open}>
      <td class="time">
        <Link href={traceOf(row)} class="value open">
          <span class="unseen">{t.open(beginning(row.name, 80), at)}</span>
          <span aria-hidden="true">{at}</span>
        </Link>
      </td>
      <td>
        <Value id="span_name" text={row.name} only={only} /> {row.status === "STATUS_CODE_ERROR" && <span class="error">! {t.error}</span>}
      </td>
      <td class="short">
        <Value id="service_name" text={row.service} only={only} />
      </td>
      <td class="short">{model && <Value id={model} text={row.fields[model] ?? ""} only={only} />}</td>
      <td class="number">{nanoseconds(Number(row.duration_ns))}</td>
      <td class="number" data-unit={t.tokens}>
        {row.tokens === null ? "" : count(row.tokens)}
      </td>
      {props.columns.map((c) => (
        <td key={c}>
          <Value id={c} text={row.fields[c] ?? ""} only={only} />
        </td>
      ))}
      <td class="output" title={visible(said)}>
        {beginning(said, 160)}
      </td>
      <td class="found">
        <Verdicts row={row} only={only} />
      </td>
    </tr>
  );
}

/** Goes so many rows down from the one that has the focus. */
function step(table: HTMLTableElement | null, by: number) {
  const links = [...(table?.querySelectorAll<HTMLElement>("a.open") ?? [])];
  const row = document.activeElement?.closest("tr");
  const at = links.findIndex((l) => l.closest("tr") === row);
  links[at < 0 ? 0 : Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
}

/** Spans, one a row. A value leads to the spans that have it, a row to its trace. */
export function SpanTable(props: { rows: readonly Row[]; only: Only; columns: readonly string[]; sorting: Sorting; onRemove: (column: string) => void }) {
  const table = useRef<HTMLTableElement>(null);
  useLayoutEffect(() => {
    const unbind = [bind("j", () => step(table.current, 1)), bind("k", () => step(table.current, -1))];
    return () => unbind.forEach((u) => u());
  }, []);
  return (
    <table class="table opens" ref={table}>
      <caption class="unseen">{t.title}</caption>
      <thead>
        <tr>
          <Heading of="timestamp" name={t.columns.time(texts.header.zoneShort[zone.value])} sorting={props.sorting} />
          <th scope="col">{t.columns.name}</th>
          <th scope="col">{t.columns.service}</th>
          <th scope="col">{t.columns.model}</th>
          <Heading of="duration" name={t.columns.took} number sorting={props.sorting} />
          <Heading of="total_tokens" name={t.columns.tokens} number sorting={props.sorting} />
          {props.columns.map((c) => (
            <th scope="col" key={c}>
              {beginning(c, 60)}{" "}
              <button class="quiet icon" aria-label={t.removeColumn(beginning(c, 60))} onClick={() => props.onRemove(c)}>
                ✕
              </button>
            </th>
          ))}
          <th scope="col">{t.columns.output}</th>
          <th scope="col">{t.columns.verdicts}</th>
        </tr>
      </thead>
      <tbody>
        {props.rows.map((row) => (
          <SpanRow key={row.trace_id + row.span_id} row={row} only={props.only} columns={props.columns} />
        ))}
      </tbody>
    </table>
  );
}
