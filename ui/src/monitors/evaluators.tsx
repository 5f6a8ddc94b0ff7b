// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { type Evaluator, type EvaluatorSchema, judgedBy, judgedBys } from "../api/evaluators";
import type { Me } from "../api/me";
import { Field, type Refused, SchemaFields } from "../form/fields";
import { texts } from "../texts";
import { inWords, visible } from "../text/visible";
import { verdictActions } from "../api/monitors";
import { type Draft, type DraftEvaluator, emptyEvaluator, onVerdictAt } from "./draft";
import { lacking, purposeOf, purposes } from "./purpose";

const t = texts.monitors;

type Changed = (list: DraftEvaluator[]) => void;

/** What is to judge: a list to choose from. */
export function Picker(props: { list: readonly Evaluator[]; /** The models that evaluators may ask, once that is known. */ models: Me["models"] | undefined; draft: Draft; refused: Refused; onChange: Changed }) {
  const { draft, onChange, refused } = props;
  const [wanted, setWanted] = useState("");
  const [by, setBy] = useState("");
  const chosen = (slug: string) => draft.evaluators.some((e) => e.slug === slug);
  const words = wanted.toLowerCase().split(/\s+/);
  const shown = props.list.filter((e) => judgedBy(e, by) && words.every((w) => `${e.slug} ${e.name} ${e.description}`.toLowerCase().includes(w)));
  const lacks = (e: Evaluator) => (props.models === undefined ? [] : lacking(e, props.models));
  // Those that can run come first.
  const groups = purposes.flatMap((purpose) => {
    const list = shown.filter((e) => purposeOf(e) === purpose).sort((a, b) => lacks(a).length - lacks(b).length);
    return list.length === 0 ? [] : [{ purpose, list }];
  });
  const choose = (slug: string, on: boolean) => onChange(on ? [...draft.evaluators, emptyEvaluator(slug)] : draft.evaluators.filter((e) => e.slug !== slug));
  return (
    <fieldset>
      <legend>{t.what}</legend>
      <Field path="evaluators" label={t.find} refused={refused} hint={t.chosen(draft.evaluators.length, draft.evaluators.map((e) => visible(e.slug)).join(", "))}>
        {(given) => <input {...given} type="search" autocomplete="off" value={wanted} onInput={(e) => setWanted(e.currentTarget.value)} />}
      </Field>
      <div class="choice" role="group" aria-label={texts.evaluators.judgedBy}>
        {judgedBys.map((k) => (
          <button key={k} type="button" aria-pressed={by === k} onClick={() => setBy(k)}>
            {texts.evaluators.judges[k]}
          </button>
        ))}
      </div>
      <div class="picker" tabIndex={0} role="region" aria-label={t.evaluators}>
        {groups.map(({ purpose, list }) => (
          <section key={purpose} aria-label={t.purposes[purpose]}>
            <h2>{t.purposes[purpose]}</h2>
            <ul>
              {list.map((e) => {
                const needs = lacks(e);
                return (
                  <li key={e.id} class={needs.length > 0 ? "idle" : undefined}>
                    <label>
                      <input type="checkbox" checked={chosen(e.slug)} onChange={(c) => choose(e.slug, c.currentTarget.checked)} />
                      <span>
                        <b>{visible(e.slug)}</b> {needs.length > 0 && <span class="why">{t.lacksModel(needs)}</span>} <span class="hint">{inWords(e.description, 160)}</span>
                      </span>
                    </label>
                  </li>
                );
              })}
            </ul>
          </section>
        ))}
        {shown.length === 0 && props.list.length > 0 && <p class="hint">{t.noEvaluator}</p>}
      </div>
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
        const done = onVerdictAt(draft.evaluators, i);
        const wrong = [`evaluators[${i}].`, ...(e.action === "" ? [] : [done + "."])].some((at) => refused?.path?.startsWith(at));
        return (
          <details key={e.slug} open={wrong}>
            <summary>
              <b>{visible(e.slug)}</b>{" "}
              {schema !== undefined && schema.auto === "" && <span class="hint">{t.needsModel}</span>}
              {e.action !== "" && <span class="hint">{t.actions[e.action]}</span>}
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
              <Field path={done + ".action"} label={t.onVerdict} hint={t.onVerdictHint} refused={e.action === "" ? undefined : refused}>
                {(given) => (
                  <select {...given} value={e.action} onChange={(c) => change(i, { action: verdictActions.find((a) => a === c.currentTarget.value) ?? "" })}>
                    <option value="">{t.stays}</option>
                    {verdictActions.map((a) => (
                      <option key={a} value={a}>
                        {t.actions[a]}
                      </option>
                    ))}
                  </select>
                )}
              </Field>
              {e.action !== "" && (
                <Field path={done + ".on_failure"} label={t.onFailure} refused={refused}>
                  {(given) => (
                    <select {...given} value={e.keep ? "keep" : ""} onChange={(c) => change(i, { keep: c.currentTarget.value === "keep" })}>
                      <option value="">{t.actions.drop_content}</option>
                      <option value="keep">{t.stays}</option>
                    </select>
                  )}
                </Field>
              )}
              {schema !== undefined && <SchemaFields schema={schema.config} path={`evaluators[${i}].config`} typed={e.config} refused={refused} onChange={(config) => change(i, { config })} />}
            </div>
            {e.mapping !== undefined && <p class="hint">{t.mapped}</p>}
          </details>
        );
      })}
    </fieldset>
  );
}
