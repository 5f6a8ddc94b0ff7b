// SPDX-License-Identifier: Apache-2.0

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Filter, Row } from "../api/spans";
import { useCopy } from "../shell/copy";
import { Link } from "../shell/link";
import { texts } from "../texts";
import { beginning, visible } from "../text/visible";
import { outputText } from "../verdict/kind";

const t = texts.trace;

/** The address of the list with one more filter. */
export type Only = (f: Filter) => string;

/** A value of a row that the list can be filtered by. */
export type Offer = { id: string; value: string | number | boolean };

const inset = 12; // pixels of the menu that are left of and above the point
const longest = 500; // characters of a value that a filter takes

/** The values of the evaluations of a row. */
export const evaluationOffers = (row: Row): Offer[] =>
  row.verdicts.flatMap((v) => Object.entries(v.outputs).map(([name, value]) => ({ id: `evaluation.${v.evaluator}.${name}`, value }))).filter((o) => String(o.value).length <= longest && o.value !== "");

/** Filter, exclude and copy for values of a row, in a menu at a point of the window. */
export function ValueMenu(props: { of: Row; trace: string; offers: readonly Offer[]; x: number; y: number; only: Only; onClose: () => void }) {
  const ref = useRef<HTMLDivElement>(null);
  const { copy, status } = useCopy();
  useLayoutEffect(() => {
    const menu = ref.current;
    if (menu === null) return;
    menu.showPopover();
    // The pointer is within the menu: letting go of it elsewhere would close it at once.
    menu.style.left = `${Math.max(0, Math.min(props.x - inset, innerWidth - menu.offsetWidth - 8))}px`;
    menu.style.top = `${Math.max(0, Math.min(props.y - inset, innerHeight - menu.offsetHeight - 8))}px`;
    menu.querySelector<HTMLElement>("a, button")?.focus();
  }, []);
  return (
    <div
      ref={ref}
      popover="auto"
      class="menu"
      role="group"
      aria-label={t.valuesOf(beginning(props.of.name, 80))}
      onToggle={(e) => e.newState === "closed" && props.onClose()}
      onClick={(e) => e.target instanceof Element && e.target.closest("a") !== null && props.onClose()}
      onKeyDown={(e) => e.stopPropagation()} // keys of the list wait until the menu is closed
    >
      <ul>
        {props.offers.map(({ id, value }) => (
          <li key={id}>
            <span class="hint">{visible(id)}</span>
            <span class="is" dir="auto">
              {beginning(outputText(value), 80)}
            </span>
            <Link class="button" label={t.only(visible(id))} href={props.only({ id, operator: "equals", value })}>
              {t.filter}
            </Link>
            <Link class="button" label={t.without(visible(id))} href={props.only({ id, operator: "not_equals", value })}>
              {t.exclude}
            </Link>
            <button type="button" aria-label={`${texts.copy.copy} ${t.valueOf(visible(id))}`} onClick={() => copy(String(value))}>
              {texts.copy.copy}
            </button>
          </li>
        ))}
      </ul>
      <p class="foot">
        <Link href={props.trace}>{texts.spans.openTrace}</Link> {status}
      </p>
    </div>
  );
}
