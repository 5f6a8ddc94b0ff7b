// SPDX-License-Identifier: Apache-2.0

import type { TargetedPointerEvent } from "preact";
import { useState } from "preact/hooks";
import { isOutput, type Sort } from "../api/spans";
import { Link } from "../shell/link";
import { texts } from "../texts";
import { beginning } from "../text/visible";
import { placed } from "./state";

const t = texts.spans;
const dragged = 6; // pixels from which on a press is a move

export type Sorting = { by: Sort; order: "ASC" | "DESC"; href: (by: Sort) => string };

const sortOf = (of: Sort, s: Sorting) => (s.by !== of ? undefined : s.order === "ASC" ? "ascending" : "descending");

function SortLink(props: { of: Sort; name: string; sorting: Sorting }) {
  const sorted = sortOf(props.of, props.sorting);
  return (
    <Link class="sort" href={props.sorting.href(props.of)}>
      <span class="unseen">{t.sortBy(props.name)}: </span>
      {props.name}
      <span aria-hidden="true">{sorted === undefined ? "" : sorted === "ascending" ? " ▴" : " ▾"}</span>
    </Link>
  );
}

/** The head of a column that is always there and that the list can be sorted by. */
export function Heading(props: { of: Sort; name: string; number?: boolean; class?: string; sorting: Sorting }) {
  return (
    <th scope="col" class={[props.number ? "number" : "", props.class ?? ""].join(" ").trim() || undefined} aria-sort={sortOf(props.of, props.sorting)}>
      <SortLink of={props.of} name={props.name} sorting={props.sorting} />
    </th>
  );
}

/** The head of the own column at a point of the page, by its place. */
function headAt(x: number, y: number): number {
  const head = document.elementFromPoint(x, y)?.closest<HTMLElement>("th.own");
  return Number(head?.dataset.at ?? -1);
}

/** The head of a column that a user added: it can be dragged to another place. The menu of columns moves and removes it, too. */
export function ColumnHead(props: { column: string; at: number; columns: readonly string[]; sorting: Sorting; onOrder: (columns: readonly string[]) => void }) {
  const { column: c, at, columns } = props;
  const [moving, setMoving] = useState(false);
  const name = beginning(c, 60);
  const down = (e: TargetedPointerEvent<HTMLElement>) => {
    if (e.button !== 0 || e.pointerType === "touch") return;
    const from = e.clientX;
    let moves = false;
    const over = new AbortController();
    const { signal } = over;
    const end = (to: number) => {
      over.abort();
      setMoving(false);
      if (to >= 0 && to !== at) props.onOrder(placed(columns, c, to));
    };
    document.addEventListener("pointermove", (m) => setMoving((moves ||= Math.abs(m.clientX - from) >= dragged)), { signal });
    document.addEventListener("pointerup", (u) => end(moves ? headAt(u.clientX, u.clientY) : -1), { signal });
    document.addEventListener("pointercancel", () => end(-1), { signal });
  };
  return (
    <th
      scope="col"
      class={moving ? "own moving" : "own"}
      data-at={at}
      title={columns.length > 1 ? `${name}. ${t.dragColumn}` : name}
      aria-sort={isOutput(c) ? sortOf(c, props.sorting) : undefined}
      onPointerDown={down}
      onDragStart={(e) => e.preventDefault()} // of the link that is in it
    >
      <span class="one-line">{isOutput(c) ? <SortLink of={c} name={name} sorting={props.sorting} /> : name}</span>
    </th>
  );
}
