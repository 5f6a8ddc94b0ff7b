// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import type { Evaluator, EvaluatorSchema } from "../api/evaluators";
import { Field, type Refused, SchemaFields } from "../form/fields";
import { texts } from "../texts";
import { beginning, visible } from "../text/visible";
import { type Draft, type DraftEvaluator, emptyEvaluator } from "./draft";

const t = texts.monitors;

type Changed = (list: DraftEvaluator[]) => void;

/** What is to judge: a list to choose from. */
export function Picker(props: { list: readonly Evaluator[]; draft: Draft; refused: Refused; onChange: Changed }) {
  const { draft, onChange, refused } = props;
  const [wanted, setWanted] = useState("");
  const chosen = (slug: string) => draft.evaluators.some((e) => e.slug === slug);
  const words = wanted.toLowerCase().split(/\s+/);
  const shown = props.list.filter((e) => words.every((w) => `${e.slug} ${e.name} ${e.description}`.toLowerCase().includes(w)));
  const choose = (slug: string, on: boolean) => onChange(on ? [...draft.evaluators, emptyEvaluator(slug)] : draft.evaluators.filter((e) => e.slug !== slug));
  return (
    <fieldset>
      <legend>{t.what}</legend>
      <Field path="evaluators" label={t.find} refused={refused} hint={t.chosen(draft.evaluators.length, draft.evaluators.map((e) => visible(e.slug)).join(", "))}>
        {(given) => <input {...given} type="search" autocomplete="off" value={wanted} onInput={(e) => setWanted(e.currentTarget.value)} />}
      </Field>
      <ul class="picker" tabIndex={0} aria-label={t.evaluators}>
        {shown.map((e) => (
          <li key={e.id}>
            <label>
              <input type="checkbox" checked={chosen(e.slug)} onChange={(c) => choose(e.slug, c.currentTarget.checked)} />
              <span>
                <b>{visible(e.slug)}</b> <span class="hint">{beginning(e.description, 160)}</span>
              </span>
            </label>
          </li>
        ))}
        {shown.length === 0 && props.list.length > 0 && <li class="hint">{t.noEvaluator}</li>}
      </ul>
    </fieldset>
  );
}

/** How each of those that were chosen is to judge. */
export function Chosen(props: { draft: Draft; schemas: ReadonlyMap<string, EvaluatorSchema>; refused: Refused; onChange: Changed }) {
  const { draft, refused, onChange } = props;
  const change = (at: number, part: Partial<DraftEvaluator>) => onChange(draft.evaluators.map((e, i) => (i === at ? { ...e, ...part } : e)));
  return (
    <fieldset>
      <legend>{t.how}</legend>
      {draft.evaluators.map((e, i) => {
        const schema = props.schemas.get(e.slug);
        return (
          <details key={e.slug} open={refused?.path?.startsWith(`evaluators[${i}].`)}>
            <summary>
              <b>{visible(e.slug)}</b>{" "}
              {schema !== undefined && schema.auto === "" && <span class="hint">{t.needsModel}</span>}
            </summary>
            <div class="fields">
              <Field path={`evaluators[${i}].sample_rate`} label={t.rate} hint={t.rateHint} refused={refused}>
                {(given) => <input {...given} inputMode="decimal" autocomplete="off" value={e.rate} onInput={(c) => change(i, { rate: c.currentTarget.value })} />}
              </Field>
              <Field path={`evaluators[${i}].backend`} label={t.backend} refused={refused}>
                {(given) => (
                  <select {...given} value={e.backend} onChange={(c) => change(i, { backend: c.currentTarget.value })}>
                    <option value="">{t.auto}</option>
                    {(schema?.backends ?? []).map((b) => (
                      <option key={b.backend} value={b.backend}>
                        {b.backend}
                      </option>
                    ))}
                  </select>
                )}
              </Field>
              {schema !== undefined && <SchemaFields schema={schema.config} path={`evaluators[${i}].config`} typed={e.config} refused={refused} onChange={(config) => change(i, { config })} />}
            </div>
            {e.mapping !== undefined && <p class="hint">{t.mapped}</p>}
          </details>
        );
      })}
    </fieldset>
  );
}
