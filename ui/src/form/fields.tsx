// SPDX-License-Identifier: Apache-2.0

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { Schema } from "../api/evaluators";
import { texts } from "../texts";
import { size } from "../text/format";
import { visible } from "../text/visible";
import { kindOf, needsJSON, type Typed, typedOf } from "./typed";
import { wrongAt } from "./wrong";
import "./form.css";

const t = texts.form;

/** What the API refused, and where. */
export type Refused = { path: string | undefined; message: string } | undefined;

/** What the API refused, which begins with its name of a field, with that of the form. */
const inForm = (message: string, path: string, label: string) => (message.startsWith(path) ? label.replace(/ \*$/, "") + message.slice(path.length) : message);

type Given = { id: string; "data-path": string; dir: "auto"; "aria-invalid": boolean; "aria-describedby": string | undefined };

/** A control with its label, what it is for, and what the API has against it. */
export function Field(props: { path: string; label: string; hint?: string | undefined; refused: Refused; wide?: boolean; children: (given: Given) => ComponentChildren }) {
  const id = useId();
  const wrong = props.refused?.path === props.path ? inForm(props.refused.message, props.path, props.label) : "";
  const described = [wrong !== "" && id + "-wrong", props.hint && id + "-hint"].filter(Boolean).join(" ");
  return (
    <div class={props.wide ? "field wide" : "field"}>
      <label for={id}>{props.label}</label>
      {props.children({ id, "data-path": props.path, dir: "auto", "aria-invalid": wrong !== "", "aria-describedby": described === "" ? undefined : described })}
      {props.hint && (
        <p class="hint" id={id + "-hint"}>
          {props.hint}
        </p>
      )}
      {wrong !== "" && (
        <p class="problem" id={id + "-wrong"}>
          {visible(wrong)}
        </p>
      )}
    </div>
  );
}

function boundsOf(s: Schema): string {
  const said = [s.description ?? ""];
  if (s.minimum !== undefined && s.maximum !== undefined) said.push(t.between(s.minimum, s.maximum));
  if (s.default !== undefined) said.push(t.otherwise(typedOf(s.default)));
  return said.filter((p) => p !== "").join(" ");
}

/** Says where a text stops being JSON, while it is typed. */
function Wrong(props: { text: string }) {
  const at = props.text.trim() === "" ? undefined : wrongAt(props.text);
  return at === undefined ? null : <p class="hint">{t.notJSON(at.line, at.column)}</p>;
}

/** A field for each member that a schema knows. */
export function SchemaFields(props: { schema: Schema; path: string; typed: Typed; refused: Refused; long?: boolean; onChange: (typed: Typed) => void }) {
  const { schema, typed, onChange } = props;
  return (
    <>
      {Object.entries(schema.properties ?? {}).map(([name, s]) => {
        const kind = kindOf(s);
        const value = typed[name] ?? "";
        const set = (text: string) => onChange({ ...typed, [name]: text });
        const required = schema.required?.includes(name) === true;
        const label = required ? `${visible(name)} *` : visible(name);
        return (
          <Field key={name} path={`${props.path}.${name}`} label={label} hint={boundsOf(s)} refused={props.refused} wide={kind === "json" || props.long === true}>
            {(given) =>
              kind === "switch" || kind === "choice" ? (
                <select {...given} aria-required={required} value={value} onChange={(e) => set(e.currentTarget.value)}>
                  <option value="">{t.unset}</option>
                  {(kind === "switch" ? ["true", "false"] : (s.enum ?? [])).map((v) => (
                    <option key={v} value={v}>
                      {v}
                    </option>
                  ))}
                </select>
              ) : kind === "json" || props.long ? (
                <>
                  <textarea {...given} aria-required={required} rows={kind === "json" ? 3 : 4} spellcheck={false} value={value} onInput={(e) => set(e.currentTarget.value)} />
                  {props.long && value !== "" && <p class="hint">{t.sizeOf(size(new Blob([value]).size))}</p>}
                  {needsJSON(s) && <Wrong text={value} />}
                </>
              ) : (
                <input {...given} aria-required={required} inputMode={kind === "number" ? "decimal" : undefined} spellcheck={false} autocomplete="off" value={value} onInput={(e) => set(e.currentTarget.value)} />
              )
            }
          </Field>
        );
      })}
    </>
  );
}

/** Puts the focus on the field that was refused. */
export function focusOn(form: HTMLElement | null, path: string | undefined) {
  if (path === undefined) return;
  const field = [...(form?.querySelectorAll<HTMLElement>("[data-path]") ?? [])].find((f) => f.dataset.path === path);
  field?.focus();
}
