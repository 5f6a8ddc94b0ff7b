// SPDX-License-Identifier: Apache-2.0

import type { TargetedMouseEvent } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { answerOf, type Row } from "../api/spans";
import { usePageRows } from "../list/virtual";
import { bind } from "../shell/keys";
import { zone, zoneName } from "../shell/settings";
import { texts } from "../texts";
import { count, fieldText, milliseconds, moment, momentOf, nanoseconds } from "../text/format";
import { beginning, visible } from "../text/visible";
import { link } from "../url";
import { Badge, Brief } from "../verdict/badge";
import { byWeight } from "../verdict/kind";
import { ColumnHead, Heading, type Sorting } from "./heads";
import { evaluationOffers, type Offer, type Only, ValueMenu } from "./menu";
import { selectedParam } from "./state";
import "./spans.css";

const t = texts.spans;
const rowHeight = 40; // pixels, until the row is seen
const mostIcons = 4; // of verdicts of a row
const nearEnd = 15; // rows before the end at which more are wanted

/** Fields that say what the model is called; the first that a span has is its model. */
export const modelFields = ["llm.response.model", "llm.request.model"] as const;

export const traceOf = (row: Pick<Row, "trace_id" | "span_id" | "start_ns">) => link(["traces", row.trace_id], { span: row.span_id, at: String(Math.floor(milliseconds(row.start_ns) / 1000)) });

/** The evaluation that matters most in words, and icons of the others. */
function Verdicts(props: { row: Row }) {
  const [first, ...others] = byWeight(props.row.verdicts);
  if (first === undefined) return null;
  const more = others.length - mostIcons;
  return (
    <div class="in-line">
      <Badge verdict={first} characters={24} short />
      {others.length > 0 && (
        <span class="others">
          {others.slice(0, mostIcons).map((v) => (
            <Brief key={v.setup_id + v.evaluator} verdict={v} />
          ))}
          {more > 0 && <span class="hint">{texts.verdicts.more(more)}</span>}
        </span>
      )}
    </div>
  );
}

/** A text of a cell in one line. */
const Line = (props: { text: string }) => (
  <span class="one-line" dir="auto" title={beginning(props.text, 300)}>
    {beginning(props.text, 80)}
  </span>
);

const modelOf = (row: Row) => modelFields.find((f) => (row.fields[f] ?? "") !== "");

/** The values of a cell that the list can be filtered by, or of all of the row. */
function offersOf(row: Row, columns: readonly string[], cell?: string): Offer[] {
  const model = modelOf(row);
  const values: Record<string, Offer[]> = {
    name: [{ id: "span_name", value: row.name }],
    service: [{ id: "service_name", value: row.service }],
    model: model === undefined ? [] : [{ id: model, value: row.fields[model] ?? "" }],
    ...Object.fromEntries(columns.map((c) => ["own." + c, [{ id: c, value: row.fields[c] ?? "" }]])),
    found: evaluationOffers(row),
  };
  return (cell === undefined ? Object.values(values).flat() : (values[cell] ?? [])).filter((o) => o.value !== "");
}

type RowProps = {
  row: Row;
  index: number;
  columns: readonly string[];
  selected: boolean;
  measure: (row: Element | null) => void;
  onOpen: (index: number) => void;
  onFocus: (index: number) => void;
  /** Called to open a menu at a point of the window, for a cell or for the whole row. */
  onMenu: (index: number, x: number, y: number, cell?: string) => void;
};

function SpanRow(props: RowProps) {
  const { row, index } = props;
  const at = moment(milliseconds(row.start_ns), zone.value);
  const model = modelOf(row);
  const said = answerOf(row);
  const open = (e: TargetedMouseEvent<HTMLTableRowElement>) => {
    if (e.target instanceof Element && e.target.closest("a, button") !== null) return;
    if (getSelection()?.isCollapsed === false) return; // text is being selected
    props.onOpen(index);
  };
  const menu = (e: TargetedMouseEvent<HTMLTableRowElement>) => {
    const cell = e.target instanceof Element ? e.target.closest<HTMLElement>("td[data-cell]")?.dataset.cell : undefined;
    if (cell === undefined || getSelection()?.isCollapsed === false || offersOf(row, props.columns, cell).length === 0) return;
    e.preventDefault();
    props.onMenu(index, e.clientX, e.clientY, cell);
  };
  return (
    <tr
      ref={props.measure}
      data-index={index}
      aria-rowindex={index + 2}
      class={props.selected ? "selected" : undefined}
      aria-current={props.selected ? "true" : undefined}
      onClick={open}
      onContextMenu={menu}
      onFocusIn={() => props.onFocus(index)}
    >
      <td class="time" title={at}>
        <button class="value open" onClick={() => props.onOpen(index)}>
          <span class="unseen">{t.open(beginning(row.name, 80), at)}</span>
          <span aria-hidden="true">{momentOf(milliseconds(row.start_ns), zone.value, Date.now())}</span>
        </button>
        <button
          class="quiet icon more-of"
          aria-label={t.menuOf(beginning(row.name, 80), at)}
          onClick={(e) => {
            const { left, bottom } = e.currentTarget.getBoundingClientRect();
            props.onMenu(index, left + 12, bottom + 12);
          }}
        >
          ⋯
        </button>
      </td>
      <td class="name" data-cell="name">
        <div class="in-line">
          <Line text={row.name} /> {row.status === "STATUS_CODE_ERROR" && <span class="error">! {t.error}</span>}
        </div>
      </td>
      <td class="short service" data-cell="service">
        <Line text={row.service} />
      </td>
      <td class="short model" data-cell="model">
        {model && <Line text={row.fields[model] ?? ""} />}
      </td>
      <td class="number">{nanoseconds(Number(row.duration_ns))}</td>
      <td class="number tokens" data-unit={t.tokens}>
        {row.tokens === null ? "" : count(row.tokens)}
      </td>
      {props.columns.map((c) => (
        <td key={c} class="own" data-cell={"own." + c}>
          <Line text={fieldText(c, row.fields[c] ?? "")} />
        </td>
      ))}
      <td class="output" dir="auto" title={visible(said.slice(0, 300))}>
        {beginning(said, 160)}
      </td>
      <td class="found" data-cell="found">
        <Verdicts row={row} />
      </td>
    </tr>
  );
}

type TableProps = {
  rows: readonly Row[];
  /** How many there are in all, of which these are the first. */
  total: number;
  only: Only;
  columns: readonly string[];
  sorting: Sorting;
  selected: string;
  /** Called with the new columns. */
  onColumns: (columns: readonly string[]) => void;
  onOpen: (row: Row) => void;
  /** Called when the end of the list comes into sight. */
  onEnd: () => void;
};

/** Spans, one a row. A row opens the span, and a menu filters by its values. Only the rows that are seen are in the page. */
export function SpanTable(props: TableProps) {
  const { rows, columns } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const [active, setActive] = useState(-1);
  const takeFocus = useRef(false);
  const at = useRef(-1); // the active row at once, where keys come faster than it is shown
  const keys = useMemo(() => rows.map(selectedParam), [rows]);
  const list = usePageRows(body, keys, rowHeight, active);
  const go = useRef((_: number) => {});
  go.current = (by) => {
    const next = Math.max(0, Math.min(rows.length - 1, at.current + by));
    takeFocus.current = true;
    at.current = next;
    setActive(next);
    list.reveal(next);
    const row = rows[next];
    if (row !== undefined && props.selected !== "") props.onOpen(row);
  };
  useLayoutEffect(() => {
    const unbind = [
      bind("j", () => go.current(1)),
      bind("k", () => go.current(-1)),
      bind("ArrowDown", () => go.current(1)),
      bind("ArrowUp", () => go.current(-1)),
    ];
    return () => unbind.forEach((u) => u());
  }, []);
  // The active row has the focus, also where it was moved within the page; until
  // the user leaves.
  const held = useRef(false);
  const follows = useRef(false); // the focus does what was decided already
  useEffect(() => {
    const elsewhere = (e: Event) => {
      if (!(e.target instanceof Node) || body.current?.contains(e.target) !== true) held.current = false;
    };
    const events = ["focusin", "pointerdown"] as const;
    events.forEach((name) => document.addEventListener(name, elsewhere));
    return () => events.forEach((name) => document.removeEventListener(name, elsewhere));
  }, []);
  useEffect(() => {
    if (!takeFocus.current && !(held.current && document.activeElement === document.body)) return;
    const button = body.current?.querySelector<HTMLElement>(`[data-index="${active}"] .open`);
    if (button === null || button === undefined) return;
    takeFocus.current = active !== at.current; // keys were faster: there is another row to go to
    follows.current = true;
    button.focus({ preventScroll: true });
    follows.current = false;
  });
  const last = list.parts.reduce((most, part) => ("row" in part ? Math.max(most, part.row) : most), -1);
  useEffect(() => {
    if (last >= rows.length - nearEnd) props.onEnd();
  }, [last, rows.length]);
  const focused = (index: number) => {
    held.current = true;
    if (follows.current) return;
    at.current = index;
    setActive(index);
  };
  const open = (index: number) => {
    const row = rows[index];
    focused(index);
    if (row !== undefined) props.onOpen(row);
  };
  const [menu, setMenu] = useState<{ row: Row; offers: readonly Offer[]; x: number; y: number }>();
  const openMenu = (index: number, x: number, y: number, cell?: string) => {
    const row = rows[index];
    if (row !== undefined) setMenu({ row, offers: offersOf(row, columns, cell), x, y });
  };
  return (
    <>
    <table class="table opens spanlist" style={{ "--own": columns.length }} aria-rowcount={props.total + 1}>
      <caption class="unseen">{t.title}</caption>
      <thead>
        <tr aria-rowindex={1}>
          <Heading of="timestamp" name={t.columns.time(zoneName.value)} sorting={props.sorting} />
          <th scope="col" class="name">
            {t.columns.name}
          </th>
          <th scope="col" class="service">
            {t.columns.service}
          </th>
          <th scope="col" class="model">
            {t.columns.model}
          </th>
          <Heading of="duration" name={t.columns.took} number sorting={props.sorting} />
          <Heading of="total_tokens" name={t.columns.tokens} number class="tokens" sorting={props.sorting} />
          {columns.map((c, i) => (
            <ColumnHead key={c} column={c} at={i} columns={columns} sorting={props.sorting} onOrder={props.onColumns} />
          ))}
          <th scope="col" class="output">
            {t.columns.output}
          </th>
          <th scope="col" class="found">
            {t.columns.verdicts}
          </th>
        </tr>
      </thead>
      <tbody ref={body}>
        {list.parts.map((part, at) => {
          if ("gap" in part) return <tr key={"gap" + at} class="gap" aria-hidden="true" style={{ height: `${part.gap}px` }} />;
          const row = rows[part.row];
          const key = keys[part.row];
          if (row === undefined || key === undefined) return null;
          return (
            <SpanRow key={key} row={row} index={part.row} columns={columns} selected={key === props.selected} measure={list.measure} onOpen={open} onFocus={focused} onMenu={openMenu} />
          );
        })}
      </tbody>
    </table>
    {menu && <ValueMenu key={`${menu.x} ${menu.y}`} of={menu.row} trace={traceOf(menu.row)} offers={menu.offers} x={menu.x} y={menu.y} only={props.only} onClose={() => setMenu(undefined)} />}
    </>
  );
}
