// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { Field, type Refused } from "./fields";
import { namedBy } from "./typed";
import { Dialog } from "../shell/dialog";
import { texts } from "../texts";
import { visible } from "../text/visible";

const t = texts.organizations;

export type Asked = { path: string; label: string; hint?: string | ((typed: string) => string); value?: string; choices?: readonly string[] };

/** A few fields and a button; what the API refuses is shown at its field. */
export function Ask(props: { fields: readonly Asked[]; action: string; onSubmit: (values: Record<string, string>) => Promise<void> }) {
  const first = () => Object.fromEntries(props.fields.map((f) => [f.path, f.value ?? f.choices?.[0] ?? ""]));
  const [values, setValues] = useState<Record<string, string>>(first);
  const [refused, setRefused] = useState<Refused>();
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    if (busy) return;
    setBusy(true);
    setRefused(undefined);
    try {
      await props.onSubmit(values);
      setValues(first());
    } catch (e) {
      const message = e instanceof Error ? e.message : String(e);
      setRefused({ path: namedBy(message, props.fields.map((f) => f.path)), message });
    }
    setBusy(false);
  };
  return (
    <form
      class="asked"
      onSubmit={(e) => {
        e.preventDefault();
        void submit();
      }}
    >
      <div class="fields">
        {props.fields.map((f) => (
          <Field key={f.path} path={f.path} label={f.label} hint={typeof f.hint === "function" ? f.hint(values[f.path] ?? "") : f.hint} refused={refused}>
            {(given) =>
              f.choices ? (
                <select {...given} value={values[f.path]} onChange={(e) => setValues({ ...values, [f.path]: e.currentTarget.value })}>
                  {f.choices.map((c) => (
                    <option key={c} value={c}>
                      {texts.environment.scopes[c] ?? t.scopes[c] ?? c}
                    </option>
                  ))}
                </select>
              ) : (
                <input {...given} spellcheck={false} autocomplete="off" value={values[f.path]} onInput={(e) => setValues({ ...values, [f.path]: e.currentTarget.value })} />
              )
            }
          </Field>
        ))}
      </div>
      {refused && refused.path === undefined && (
        <p class="problem" role="alert">
          {visible(refused.message)}
        </p>
      )}
      <p>
        <button type="submit" aria-disabled={busy}>
          {props.action}
        </button>
      </p>
    </form>
  );
}

/** Asks for a name to be typed before something is done that cannot be undone. */
export function Confirm(props: { title: string; hint: string; name: string; action: string; onDone: () => Promise<void>; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState("");
  const right = typed === props.name;
  const submit = async () => {
    if (!right) return;
    try {
      await props.onDone();
      props.onClose();
    } catch (e) {
      setProblem(e instanceof Error ? e.message : String(e));
    }
  };
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form
        class="field"
        onSubmit={(e) => {
          e.preventDefault();
          void submit();
        }}
      >
        <p>{props.hint}</p>
        <label for="confirm-name">{t.typeName(visible(props.name))}</label>
        <input id="confirm-name" value={typed} spellcheck={false} autocomplete="off" onInput={(e) => setTyped(e.currentTarget.value)} />
        {problem !== "" && <p class="problem">{visible(problem)}</p>}
        <p class="actions">
          <button type="submit" aria-disabled={!right}>
            {props.action}
          </button>
          <button type="button" onClick={props.onClose}>
            {texts.monitors.cancel}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
