// SPDX-License-Identifier: Apache-2.0

import type { RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useRows } from "../list/virtual";
import { texts } from "../texts";
import { count, nanoseconds } from "../text/format";
import { beginning } from "../text/visible";
import { Icon } from "../verdict/badge";
import { type Model, sumOfRun } from "./model";
import { type Cut, placeIn, placeOf } from "./time";
import { hasChildren, type Runs, type Tree } from "./tree";

const t = texts.trace;
const rowHeight = 1.875; // rem
const numberedFrom = 9; // levels whose indent no longer tells which they are

export type Moves = {
  /** Goes so many rows down. */
  step: (by: number) => void;
  /** Goes to a span, which has to be among the rows. */
  to: (span: number) => void;
};

type Props = {
  model: Model;
  tree: Tree;
  /** The spans of the rows. */
  rows: Int32Array;
  active: number;
  folded: (span: number) => boolean;
  runs: Runs;
  /** Whether the run of a first span is one row. */
  closed: (head: number) => boolean;
  /** Of each span how many below it are left out. */
  leftOut: Int32Array | undefined;
  hits: ReadonlySet<number>;
  /** The part of the trace that is shown, where that is not the whole. */
  part: Cut | undefined;
  onActive: (span: number) => void;
  onFold: (span: number, folded: boolean) => void;
  onRun: (head: number, closed: boolean) => void;
  onEnter: () => void;
  moves: RefObject<Moves | null>;
};

/** What a row says of its span, of all below it where that is folded, or of a run that is one row. */
function Marks(props: { model: Model; span: number; folded: boolean; run: { errors: number; against: number } | undefined }) {
  const { model, span, folded, run } = props;
  const { verdicts } = model.trace.columns;
  const errors = run?.errors ?? (folded ? (model.errors[span] ?? 0) : Number(model.isError(span)));
  const against = run?.against ?? (folded ? (model.against[span] ?? 0) : (verdicts.against[span] ?? 0));
  const own = (kind: "failed" | "owed" | "for") => (run ? 0 : (verdicts[kind][span] ?? 0));
  const counts = { against, failed: own("failed"), owed: own("owed"), for: own("for") };
  return (
    <span class="marks">
      {errors > 0 && (
        <span class="error">
          ! {t.error}
          {errors > 1 && ` ${errors}`}
        </span>
      )}
      {(["against", "failed", "owed", "for"] as const).map(
        (kind) =>
          counts[kind] > 0 && (
            <span key={kind}>
              <Icon kind={kind} />
              {counts[kind] > 1 && counts[kind]}
            </span>
          ),
      )}
    </span>
  );
}

/** When a span was, or a run of spans; what is cut out of the trace is hatched. */
function Stretch(props: { model: Model; part: Cut | undefined; offset: number; took: number; kind: string }) {
  const { trace } = props.model;
  const { part } = props;
  const cut = part === undefined ? props.model.cut : undefined;
  const whole = Math.max(1, Number(trace.duration_ns));
  const at = (ns: number) => (part === undefined ? placeOf(ns, whole, cut) : placeIn(ns, part));
  const isOutside = part !== undefined && (props.offset > part.to || props.offset + props.took < part.from);
  const left = at(props.offset);
  return (
    <span role="gridcell" class="time">
      <span class="unseen">{t.after(nanoseconds(props.offset))}</span>
      {cut && <span class="cut" style={{ left: `${at(cut.from)}%`, width: `${at(cut.to) - at(cut.from)}%` }} />}
      {!isOutside && <span class={"stretch " + props.kind} style={{ left: `${left}%`, width: `${at(props.offset + props.took) - left}%` }} />}
    </span>
  );
}

const typeIcons: Readonly<Record<string, string>> = { llm: "●", embedding: "≈", tool: "⚙", agent: "◆", workflow: "❖", retrieval: "⌕", guardrail: "⛨" };

function oddities(model: Model, tree: Tree, span: number): string {
  const { columns } = model.trace;
  return [columns.parent[span] === -2 && t.orphan, tree.circle[span] === 1 && t.circle, model.outside[span] === 1 && t.early].filter(Boolean).join(", ");
}

/** What kind of work a span is: an icon, and its word. Plumbing has none. */
function TypeIcon(props: { type: string }) {
  const icon = Object.hasOwn(typeIcons, props.type) ? typeIcons[props.type] : undefined;
  if (icon === undefined) return <span class="type" />;
  return (
    <span class={"type " + props.type} title={props.type}>
      <span aria-hidden="true">{icon}</span>
      <span class="unseen">{props.type}</span>
    </span>
  );
}

function Row(props: Props & { index: number; onGo: (index: number) => void; span: number; top: number; height: number }) {
  const { model, tree, span, runs } = props;
  const { columns, dictionaries } = model.trace;
  const alike = runs.size[span] ?? 0;
  const run = alike > 0 && props.closed(span) ? sumOfRun(model, tree, runs, span) : undefined;
  const parent = hasChildren(tree, span);
  const folded = parent && props.folded(span);
  const offset = columns.offset_ns[span] ?? 0;
  const took = run ? run.end - offset : (columns.duration_ns[span] ?? 0);
  const depth = tree.depth[span] ?? 0;
  const type = dictionaries.type[columns.type[span] ?? -1] ?? "";
  const odd = run ? "" : oddities(model, tree, span);
  const name = beginning(dictionaries.name[columns.name[span] ?? -1] ?? "", 120);
  const modelName = dictionaries.model[columns.model[span] ?? -1] ?? "";
  const left = run ? 0 : (props.leftOut?.[span] ?? 0);
  const failed = run ? run.errors > 0 : model.isError(span);
  const clicks = (does: () => void) => (e: Event) => {
    e.stopPropagation();
    does();
  };
  return (
    <div
      role="row"
      class={props.hits.has(span) ? "row hit" : "row"}
      data-span={span}
      aria-rowindex={props.index + 1}
      aria-level={depth + 1}
      aria-posinset={tree.place[span]}
      aria-setsize={tree.siblings[span]}
      aria-expanded={run ? false : parent ? !folded : undefined}
      aria-selected={span === props.active}
      tabIndex={span === props.active ? 0 : -1}
      style={{ top: `${props.top}px`, height: `${props.height}px` }}
      onClick={() => props.onGo(props.index)}
    >
      <span role="gridcell" class="name" style={{ paddingLeft: `min(${depth * 0.875}rem, 40%)` }}>
        <span class="fold" aria-hidden="true" onClick={clicks(() => (run ? props.onRun(span, false) : parent && props.onFold(span, !folded)))}>
          {run || folded ? "▸" : parent ? "▾" : ""}
        </span>
        {depth >= numberedFrom && <span class="level">{depth + 1}</span>}
        <TypeIcon type={type} />
        <span class="text" dir="auto" title={name}>
          {name}
        </span>
        {alike > 0 && (
          <span class="level run" title={run ? t.openRun(count(alike)) : t.closeRun(count(alike))} onClick={clicks(() => props.onRun(span, run === undefined))}>
            <span aria-hidden="true">× {count(alike)}</span>
            <span class="unseen">{run ? t.alike(count(alike)) : t.firstOf(count(alike))}</span>
          </span>
        )}
        {modelName !== "" && (
          <span class="of" title={beginning(modelName, 120)}>
            {beginning(modelName, 40)}
          </span>
        )}
        {left > 0 && <span class="of">{t.leftOut(count(left))}</span>}
        {odd !== "" && (
          <span class="odd" title={odd}>
            <span aria-hidden="true">⚠</span>
            <span class="unseen">{odd}</span>
          </span>
        )}
        <Marks model={model} span={span} folded={folded} run={run} />
      </span>
      <span role="gridcell" class="took">
        {nanoseconds(took)}
      </span>
      <Stretch model={model} part={props.part} offset={offset} took={took} kind={failed ? "failed" : type === "llm" ? "llm" : "other"} />
    </div>
  );
}

/** The spans of a trace, one a row, as a tree with a waterfall. */
export function Rows(props: Props) {
  const { rows, active, tree } = props;
  const box = useRef<HTMLDivElement>(null);
  const height = useMemo(() => rowHeight * parseFloat(getComputedStyle(document.documentElement).fontSize), []);
  const at = useMemo(() => rows.indexOf(active), [rows, active]);
  const list = useRows(box, rows.length, height, at);
  const takeFocus = useRef(false);

  const go = (index: number) => {
    const span = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (span === undefined) return;
    takeFocus.current = true;
    props.onActive(span);
  };
  useLayoutEffect(() => {
    props.moves.current = { step: (by) => go(at + by), to: (span) => go(rows.indexOf(span)) };
  });
  useLayoutEffect(() => {
    if (at >= 0) list.reveal(at, takeFocus.current ? "auto" : "center");
  }, [active]);
  useLayoutEffect(() => {
    if (!takeFocus.current) return;
    takeFocus.current = false;
    box.current?.querySelector<HTMLElement>(`[data-span="${active}"]`)?.focus({ preventScroll: true });
  });

  const key = (name: string): boolean => {
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? height) / height) - 1);
    const heads = active >= 0 && (props.runs.size[active] ?? 0) > 0;
    const closed = heads && props.closed(active);
    const folded = props.folded(active);
    const parent = active >= 0 && hasChildren(tree, active);
    switch (name) {
      case "ArrowDown":
        go(at + 1);
        return true;
      case "ArrowUp":
        go(at - 1);
        return true;
      case "PageDown":
        go(at + page);
        return true;
      case "PageUp":
        go(at - page);
        return true;
      case "Home":
        go(0);
        return true;
      case "End":
        go(rows.length - 1);
        return true;
      case "ArrowRight":
        if (closed) props.onRun(active, false);
        else if (parent && folded) props.onFold(active, false);
        else if (parent) go(at + 1);
        return true;
      case "ArrowLeft":
        if (parent && !folded && !closed) props.onFold(active, true);
        else if (heads && !closed) props.onRun(active, true);
        else if ((tree.parent[active] ?? -1) >= 0) go(rows.indexOf(tree.parent[active] ?? -1));
        return true;
      case "Enter":
        props.onEnter();
        return true;
    }
    return false;
  };

  return (
    <div
      class="rows"
      role="treegrid"
      aria-label={t.tree}
      aria-rowcount={rows.length}
      ref={box}
      onKeyDown={(e) => {
        if (!e.ctrlKey && !e.metaKey && !e.altKey && key(e.key)) e.preventDefault();
      }}
    >
      <div role="rowgroup" style={{ height: `${list.total}px` }}>
        {list.items.map((item) => {
          const span = rows[item.index];
          return span === undefined ? null : <Row key={span} {...props} index={item.index} onGo={go} span={span} top={item.start} height={height} />;
        })}
      </div>
    </div>
  );
}
