// SPDX-License-Identifier: Apache-2.0

import type { TargetedFocusEvent } from "preact";
import { useState } from "preact/hooks";
import type { Filter } from "../api/spans";
import { CopyButton } from "../shell/copy";
import { Link } from "../shell/link";
import { texts } from "../texts";
import { beginning } from "../text/visible";

const t = texts.trace;

/** The address of the spans that a filter holds for, too. */
export type Only = (f: Filter) => string;

/** A value that leads to the spans that have it. Pointed at or reached by keys it also offers those without it, and copies itself. */
export function Value(props: { id: string; text: string; only: Only }) {
  const { id, text, only } = props;
  const [near, setNear] = useState(false);
  if (text === "") return null;
  const leave = (e: TargetedFocusEvent<HTMLElement>) => {
    if (!(e.relatedTarget instanceof Node) || !e.currentTarget.contains(e.relatedTarget)) setNear(false);
  };
  return (
    <span class="offers" dir="auto" title={beginning(text, 300)} onPointerEnter={(e) => e.pointerType === "mouse" && setNear(true)} onPointerLeave={() => setNear(false)} onFocusIn={() => setNear(true)} onFocusOut={leave}>
      <Link href={only({ id, operator: "equals", value: text })} class="value">
        {beginning(text, 80)}
      </Link>
      {near && (
        <span class="offered acts">
          <Link class="quiet icon" label={t.without(id)} href={only({ id, operator: "not_equals", value: text })}>
            ≠
          </Link>
          <CopyButton text={text} name={t.valueOf(id)} />
        </span>
      )}
    </span>
  );
}
