// SPDX-License-Identifier: Apache-2.0

import { Field, type Refused } from "../form/fields";
import { texts } from "../texts";
import { type DraftField, type DraftMessage, emptyField, fieldTypes, roles } from "./own";

const t = texts.evaluators.own;

/** The list with one of it changed. */
const changed = <T,>(list: readonly T[], at: number, part: Partial<T>): T[] => list.map((one, i) => (i === at ? { ...one, ...part } : one));

/** Whether it is asked which values of a field pass: pass itself says that of the text. */
const isAsked = (passing: boolean | undefined, f: DraftField) => passing === true && f.type !== "string" && f.name.toLowerCase() !== "pass";

/** What a custom evaluator takes, or what it gives: fields with names and types. */
export function FieldList(props: { title: string; hint: string; path: string; list: readonly DraftField[]; /** Whether it is asked which values pass. */ passing?: boolean; refused: Refused; onChange: (list: DraftField[]) => void }) {
  const { path, list, refused, onChange } = props;
  return (
    <fieldset>
      <legend>{props.title}</legend>
      <p class="hint">{props.hint}</p>
      {list.map((f, i) => (
        <div class={["condition typed", f.type === "enum" ? "enum" : "", isAsked(props.passing, f) ? "passing" : ""].join(" ").trim()} key={i}>
          <Field path={`${path}[${i}].name`} label={t.fieldName} refused={refused}>
            {(given) => <input {...given} spellcheck={false} autocomplete="off" value={f.name} onInput={(e) => onChange(changed(list, i, { name: e.currentTarget.value }))} />}
          </Field>
          <Field path={`${path}[${i}].type`} label={t.fieldType} refused={refused}>
            {(given) => (
              <select {...given} value={f.type} onChange={(e) => onChange(changed(list, i, { type: fieldTypes.find((one) => one === e.currentTarget.value) ?? "string", passes: "" }))}>
                {fieldTypes.map((one) => (
                  <option key={one} value={one}>
                    {t.types[one]}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {f.type === "enum" && (
            <Field path={`${path}[${i}].enum_values`} label={t.values} hint={texts.monitors.valueHint} refused={refused}>
              {(given) => <input {...given} spellcheck={false} autocomplete="off" value={f.values} onInput={(e) => onChange(changed(list, i, { values: e.currentTarget.value }))} />}
            </Field>
          )}
          {isAsked(props.passing, f) && (
            <Field path={`${path}[${i}].passes`} label={t.passes} hint={f.type === "enum" ? texts.monitors.valueHint : f.type === "boolean" ? undefined : t.passesBound} refused={refused}>
              {(given) =>
                f.type === "boolean" ? (
                  <select {...given} value={f.passes} onChange={(e) => onChange(changed(list, i, { passes: e.currentTarget.value }))}>
                    <option value="">{t.passesUnsaid}</option>
                    <option value="true">true</option>
                    <option value="false">false</option>
                  </select>
                ) : (
                  <input {...given} spellcheck={false} autocomplete="off" value={f.passes} onInput={(e) => onChange(changed(list, i, { passes: e.currentTarget.value }))} />
                )
              }
            </Field>
          )}
          <Field path={`${path}[${i}].description`} label={t.meaning} refused={refused}>
            {(given) => <input {...given} autocomplete="off" value={f.description} onInput={(e) => onChange(changed(list, i, { description: e.currentTarget.value }))} />}
          </Field>
          <button type="button" class="quiet icon" aria-label={t.removeField(i + 1, props.title)} onClick={() => onChange(list.filter((_, at) => at !== i))}>
            ✕
          </button>
        </div>
      ))}
      <p>
        <button type="button" data-path={path} onClick={() => onChange([...list, emptyField])}>
          {t.addField}
        </button>
      </p>
    </fieldset>
  );
}

/** The messages to the judge. */
export function Messages(props: { path: string; list: readonly DraftMessage[]; inputs: readonly DraftField[]; refused: Refused; onChange: (list: DraftMessage[]) => void }) {
  const { path, list, refused, onChange } = props;
  const names = props.inputs.map((f) => f.name).filter((n) => n !== "").map((n) => `{{${n}}}`);
  return (
    <fieldset>
      <legend>{t.messages}</legend>
      <p class="hint">{t.messagesHint(names.join(", "))}</p>
      {list.map((m, i) => (
        <div class="told" key={i}>
          <Field path={`${path}[${i}].role`} label={t.role} refused={refused}>
            {(given) => (
              <select {...given} value={m.role} onChange={(e) => onChange(changed(list, i, { role: roles.find((one) => one === e.currentTarget.value) ?? "user" }))}>
                {roles.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            )}
          </Field>
          <Field path={`${path}[${i}].content`} label={t.content} refused={refused} wide>
            {(given) => <textarea {...given} rows={6} value={m.content} onInput={(e) => onChange(changed(list, i, { content: e.currentTarget.value }))} />}
          </Field>
          <button type="button" class="quiet icon" aria-label={t.removeMessage(i + 1)} onClick={() => onChange(list.filter((_, at) => at !== i))}>
            ✕
          </button>
        </div>
      ))}
      <p>
        <button type="button" data-path={path} onClick={() => onChange([...list, { role: "user", content: "" }])}>
          {t.addMessage}
        </button>
      </p>
    </fieldset>
  );
}
