// SPDX-License-Identifier: Apache-2.0

import { useLayoutEffect, useRef } from "preact/hooks";
import { type Evaluator, readEvaluators } from "../api/evaluators";
import { bind } from "../shell/keys";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { texts } from "../texts";
import { beginning, visible } from "../text/visible";
import { change, link, place } from "../url";
import { useLoaded } from "../use";

const t = texts.evaluators;
const kinds = ["all", "prebuilt", "custom"] as const;

function Item(props: { of: Evaluator }) {
  const { of } = props;
  const names = (list: readonly { name: string }[]) => list.map((f) => visible(f.name)).join(", ");
  return (
    <li>
      <Link href={link(["evaluators", of.slug])}>{visible(of.slug)}</Link>
      <p>{beginning(of.description, 240)}</p>
      <p class="hint">
        {t.takes(names(of.input_schema))} {t.gives(names(of.output_schema))}
      </p>
    </li>
  );
}

/** All evaluators that the environment has. */
export function List(props: { environment: string }) {
  const field = useRef<HTMLInputElement>(null);
  const all = useLoaded((signal) => readEvaluators(props.environment, signal), [props.environment]);
  useLayoutEffect(() => bind("/", () => field.current?.focus()), []);
  const { q = "", kind = "all" } = place.value.params;
  const words = q.toLowerCase().split(/\s+/);
  const text = (e: Evaluator) => [e.slug, e.name, e.description, ...e.input_schema.map((f) => f.name), ...e.output_schema.map((f) => f.name)].join(" ").toLowerCase();
  const shown = (all.data ?? []).filter((e) => (kind === "all" || e.source === kind) && words.every((w) => text(e).includes(w)));
  return (
    <div class="list">
      <div class="head">
        <h1>{t.title}</h1>
        <input ref={field} type="search" aria-label={t.find} placeholder={t.find} value={q} onInput={(e) => change({ q: e.currentTarget.value }, "replace")} />
        <select aria-label={t.kind} value={kind} onChange={(e) => change({ kind: e.currentTarget.value === "all" ? "" : e.currentTarget.value })}>
          {kinds.map((k) => (
            <option key={k} value={k}>
              {t.kinds[k]}
            </option>
          ))}
        </select>
        <p role="status" class="hint">
          {all.data && t.found(shown.length, all.data.length)}
        </p>
      </div>
      <Problem of={all} />
      {all.data && shown.length === 0 && <p>{texts.monitors.noEvaluator}</p>}
      <ul class="catalog" aria-label={t.title}>
        {shown.map((e) => (
          <Item key={e.id} of={e} />
        ))}
      </ul>
    </div>
  );
}
