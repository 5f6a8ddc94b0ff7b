// SPDX-License-Identifier: Apache-2.0

import { useLayoutEffect, useRef } from "preact/hooks";
import { type Evaluator, judgedBy, judgedBys, readEvaluators } from "../api/evaluators";
import { Changes } from "../shell/changes";
import { bind } from "../shell/keys";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { texts } from "../texts";
import { inWords, visible } from "../text/visible";
import { change, link, place } from "../url";
import { useLoaded } from "../use";
import { nameOf } from "./own";

const t = texts.evaluators;
const kinds = ["all", "prebuilt", "custom"] as const;

/** Names of inputs, those that most evaluators take first. */
function inputsOf(list: readonly Evaluator[]): string[] {
  const known = new Map<string, number>();
  for (const e of list) for (const f of e.input_schema) known.set(f.name, (known.get(f.name) ?? 0) + 1);
  return [...known].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name]) => name);
}

function Choice(props: { label: string; value: string; param: string; options: readonly (readonly [string, string])[] }) {
  return (
    <select aria-label={props.label} value={props.value} onChange={(e) => change({ [props.param]: e.currentTarget.value })}>
      {props.options.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  );
}

function Item(props: { of: Evaluator }) {
  const { of } = props;
  const names = (list: readonly { name: string }[]) => list.map((f) => visible(f.name)).join(", ");
  return (
    <li>
      <Link href={link(["evaluators", nameOf(of)])}>{visible(of.slug)}</Link>
      <p>{inWords(of.description, 240)}</p>
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
  const { q = "", kind = "", by = "", takes = "" } = place.value.params;
  const words = q.toLowerCase().split(/\s+/);
  const text = (e: Evaluator) => [e.slug, e.name, e.description, ...e.input_schema.map((f) => f.name), ...e.output_schema.map((f) => f.name)].join(" ").toLowerCase();
  const shown = (all.data ?? []).filter((e) => (kind === "" || e.source === kind) && judgedBy(e, by) && (takes === "" || e.input_schema.some((f) => f.name === takes)) && words.every((w) => text(e).includes(w)));
  return (
    <div class="list">
      <div class="head">
        <h1>{t.title}</h1>
        <Changes>
          <Link href={link(["evaluators", "new"])} class="button">
            {t.own.add}
          </Link>
        </Changes>
        <input ref={field} type="search" aria-label={t.find} placeholder={t.find} value={q} onInput={(e) => change({ q: e.currentTarget.value }, "replace")} />
        <Choice label={t.kind} param="kind" value={kind} options={kinds.map((k) => [k === "all" ? "" : k, t.kinds[k]])} />
        <Choice label={t.judgedBy} param="by" value={by} options={judgedBys.map((k) => [k, t.judges[k] ?? k])} />
        <Choice label={t.takesOnly} param="takes" value={takes} options={[["", t.takesAny], ...inputsOf(all.data ?? []).map((name) => [name, `${t.takesOnly} ${visible(name)}`] as const)]} />
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
