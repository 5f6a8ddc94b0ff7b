// SPDX-License-Identifier: Apache-2.0

import type { RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useRows } from "../list/virtual";
import { texts } from "../texts";
import { nanoseconds } from "../text/format";
import { beginning } from "../text/visible";
import { Icon } from "../verdict/badge";
import type { Model } from "./model";
import { hasChildren, type Tree } from "./tree";

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
  hits: ReadonlySet<number>;
  onActive: (span: number) => void;
  onFold: (span: number, folded: boolean) => void;
  onEnter: () => void;
  moves: RefObject<Moves | null>;
};

function Marks(props: { model: Model; span: number; folded: boolean }) {
  const { model, span, folded } = props;
  const { columns } = model.trace;
  const errors = folded ? (model.errors[span] ?? 0) : Number(model.isError(span));
  const against = folded ? (model.against[span] ?? 0) : (columns.verdicts.against[span] ?? 0);
  const counts = { against, failed: columns.verdicts.failed[span] ?? 0, owed: columns.verdicts.owed[span] ?? 0, for: columns.verdicts.for[span] ?? 0 };
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

function oddities(model: Model, tree: Tree, span: number): string {
  const { columns } = model.trace;
  return [columns.parent[span] === -2 && t.orphan, tree.circle[span] === 1 && t.circle, model.outside[span] === 1 && t.early].filter(Boolean).join(", ");
}

function Row(props: Props & { index: number; onGo: (index: number) => void; span: number; top: number; height: number }) {
  const { model, tree, span } = props;
  const { columns, dictionaries } = model.trace;
  const parent = hasChildren(tree, span);
  const folded = parent && props.folded(span);
  const whole = Math.max(1, Number(model.trace.duration_ns));
  const offset = columns.offset_ns[span] ?? 0;
  const took = columns.duration_ns[span] ?? 0;
  const depth = tree.depth[span] ?? 0;
  const type = dictionaries.type[columns.type[span] ?? -1] ?? "";
  const odd = oddities(model, tree, span);
  const modelName = dictionaries.model[columns.model[span] ?? -1] ?? "";
  return (
    <div
      role="row"
      class={props.hits.has(span) ? "row hit" : "row"}
      data-span={span}
      aria-rowindex={props.index + 1}
      aria-level={depth + 1}
      aria-posinset={tree.place[span]}
      aria-setsize={tree.siblings[span]}
      aria-expanded={parent ? !folded : undefined}
      aria-selected={span === props.active}
      tabIndex={span === props.active ? 0 : -1}
      style={{ top: `${props.top}px`, height: `${props.height}px` }}
      onClick={() => props.onGo(props.index)}
    >
      <span role="gridcell" class="name" style={{ paddingLeft: `min(${depth * 0.875}rem, 40%)` }}>
        <span
          class="fold"
          aria-hidden="true"
          onClick={(e) => {
            e.stopPropagation();
            if (parent) props.onFold(span, !folded);
          }}
        >
          {parent ? (folded ? "▸" : "▾") : ""}
        </span>
        {depth >= numberedFrom && <span class="level">{depth + 1}</span>}
        <span class="text">{beginning(dictionaries.name[columns.name[span] ?? -1] ?? "", 120)}</span>
        {modelName !== "" && <span class="of">{beginning(modelName, 40)}</span>}
        {odd !== "" && (
          <span class="odd" title={odd}>
            <span aria-hidden="true">⚠</span>
            <span class="unseen">{odd}</span>
          </span>
        )}
        <Marks model={model} span={span} folded={folded} />
      </span>
      <span role="gridcell" class="took">
        {nanoseconds(took)}
      </span>
      <span role="gridcell" class="time">
        <span class="unseen">{t.after(nanoseconds(offset))}</span>
        <span
          class={model.isError(span) ? "stretch failed" : "stretch " + (type === "llm" ? "llm" : "other")}
          style={{ left: `${(100 * offset) / whole}%`, width: `${(100 * took) / whole}%` }}
        />
      </span>
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
        if (parent && folded) props.onFold(active, false);
        else if (parent) go(at + 1);
        return true;
      case "ArrowLeft":
        if (parent && !folded) props.onFold(active, true);
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
