// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { type Mapping, readMappings, roles, saveMappings, type Trial, tryMappings } from "../api/mappings";
import { Field, type Refused } from "../form/fields";
import { namedBy } from "../form/typed";
import { mayChange } from "../session";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { Table } from "../table/table";
import { texts } from "../texts";
import { beginning, visible } from "../text/visible";
import { link } from "../url";
import { useLoaded } from "../use";

const t = texts.mappings;
const shown = 200; // characters of a text

/** What mappings would read of stored spans. */
function Tried(props: { trial: Trial }) {
  const { trial } = props;
  return (
    <>
      <p role="status">{t.matched(trial.matched, trial.spans)}</p>
      {trial.samples.length > 0 && (
        <Table name={t.tried} texts={[t.span, t.reads, t.question, t.output]} numbers={[]}>
          {trial.samples.map((s) => (
            <tr key={s.trace_id + s.span_id + s.timestamp}>
              <th scope="row">
                <Link href={link(["traces", s.trace_id], { span: s.span_id, at: String(Math.floor(s.timestamp / 1000)) })}>{beginning(s.span_name, 80) || s.span_id}</Link> {s.span_type}
              </th>
              <td data-name={t.reads}>
                {s.reads.map((r) => (
                  <div key={r.attribute}>
                    <code>{r.role}</code> {t.from} <code>{visible(r.attribute)}</code>: <bdi>{beginning(r.text, shown)}</bdi>
                  </div>
                ))}
              </td>
              <td data-name={t.question} dir="auto">
                {beginning(s.question, shown)}
              </td>
              <td data-name={t.output} dir="auto">
                {beginning(s.output, shown)}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

const empty: Mapping = { attribute: "", role: roles[0] };

function Form(props: { environment: string; stored: readonly Mapping[] }) {
  const { environment } = props;
  const [rows, setRows] = useState<readonly Mapping[]>(props.stored.length > 0 ? props.stored : [empty]);
  const [refused, setRefused] = useState<Refused>();
  const [trial, setTrial] = useState<Trial>();
  const [saved, setSaved] = useState(false);
  const [busy, setBusy] = useState(false);
  const pathOf = (row: number, name: string) => `mappings[${row}].${name}`;
  const change = (next: readonly Mapping[]) => {
    setRows(next);
    setSaved(false);
    setTrial(undefined);
    setRefused(undefined);
  };
  const run = async (what: (mappings: readonly Mapping[]) => Promise<void>) => {
    if (busy) return;
    const filled = rows.filter((r) => r.attribute !== "");
    change(filled.length > 0 ? filled : [empty]);
    setBusy(true);
    try {
      await what(filled);
    } catch (e) {
      const message = e instanceof Error ? e.message : String(e);
      setRefused({ path: namedBy(message, filled.flatMap((_, i) => [pathOf(i, "attribute"), pathOf(i, "role")])), message });
    }
    setBusy(false);
  };
  const set = (row: number, part: Partial<Mapping>) => change(rows.map((r, i) => (i === row ? { ...r, ...part } : r)));
  return (
    <form
      class="asked"
      onSubmit={(e) => {
        e.preventDefault();
        void run(async (m) => setTrial(await tryMappings(environment, m)));
      }}
    >
      {rows.map((r, i) => (
        <div class="fields" key={i} role="group" aria-label={t.nth(i + 1)}>
          <Field path={pathOf(i, "attribute")} label={t.attribute} refused={refused}>
            {(given) => <input {...given} maxLength={255} spellcheck={false} autocomplete="off" value={r.attribute} onInput={(e) => set(i, { attribute: e.currentTarget.value })} />}
          </Field>
          <Field path={pathOf(i, "role")} label={t.role} refused={refused}>
            {(given) => (
              <select {...given} value={r.role} onChange={(e) => set(i, { role: e.currentTarget.value })}>
                {roles.map((role) => (
                  <option key={role}>{role}</option>
                ))}
              </select>
            )}
          </Field>
          <button type="button" class="quiet" aria-label={t.remove(visible(r.attribute) || t.nth(i + 1))} onClick={() => change(rows.length > 1 ? rows.filter((_, at) => at !== i) : [empty])}>
            {t.removeShort}
          </button>
        </div>
      ))}
      {refused && refused.path === undefined && (
        <p class="problem" role="alert">
          {visible(refused.message)}
        </p>
      )}
      <p class="actions">
        <button type="button" onClick={() => change([...rows, empty])}>
          {t.add}
        </button>
        <button type="submit" aria-disabled={busy}>
          {t.try}
        </button>
        {mayChange.value && (
          <button
            type="button"
            aria-disabled={busy}
            onClick={() =>
              void run(async (m) => {
                await saveMappings(environment, m);
                setSaved(true);
              })
            }
          >
            {t.save}
          </button>
        )}
      </p>
      {saved && <p role="status">{t.saved}</p>}
      {trial && <Tried trial={trial} />}
    </form>
  );
}

/** Lists the mappings of an environment, tries others on its spans, and saves them. */
export function Mappings(props: { environment: string }) {
  const stored = useLoaded((signal) => readMappings(props.environment, signal), [props.environment]);
  return (
    <section>
      <h2>{t.title}</h2>
      <p class="hint">{t.hint}</p>
      <Problem of={stored} />
      {stored.data && <Form environment={props.environment} stored={stored.data} />}
    </section>
  );
}
