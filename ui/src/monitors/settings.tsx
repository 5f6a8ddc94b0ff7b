// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { remove, type Setup } from "../api/monitors";
import { Changes } from "../shell/changes";
import { Dialog } from "../shell/dialog";
import { zone } from "../shell/settings";
import { texts } from "../texts";
import { dollars, moment, percent } from "../text/format";
import { beginning, visible } from "../text/visible";
import { go, link } from "../url";
import { typedOf } from "../form/typed";
import { nameOf } from "./status";

const t = texts.monitors;
const day = 86_400;

function Rules(props: { setup: Setup }) {
  if (props.setup.init_rules.length === 0) return <p>{t.allPass}</p>;
  return (
    <ol class="listed">
      {props.setup.init_rules.map((r, i) => (
        <li key={i}>
          {visible(r.key)} {r.source === "resource_attributes" && <span class="hint">{texts.trace.ofResource}</span>} {texts.trace.operators[r.operator ?? "equals"]}{" "}
          <b>{beginning(r.values !== undefined ? r.values.join(", ") : typedOf(r.value), 500)}</b>
        </li>
      ))}
    </ol>
  );
}

function Remove(props: { environment: string; setup: Setup; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState("");
  const right = typed === props.setup.external_id;
  const submit = async () => {
    if (!right) return;
    try {
      await remove(props.environment, nameOf(props.setup));
      go(link(["monitors"]));
    } catch (e) {
      setProblem(e instanceof Error ? e.message : String(e));
    }
  };
  return (
    <Dialog title={t.removeTitle(visible(props.setup.external_id))} onClose={props.onClose}>
      <form
        class="field"
        onSubmit={(e) => {
          e.preventDefault();
          void submit();
        }}
      >
        <p>{t.removeHint}</p>
        <label for="remove-name">{t.typeName}</label>
        <input id="remove-name" value={typed} spellcheck={false} autocomplete="off" onInput={(e) => setTyped(e.currentTarget.value)} />
        {problem !== "" && <p class="problem">{problem}</p>}
        <p class="actions">
          <button type="submit" aria-disabled={!right}>
            {t.remove}
          </button>
          <button type="button" onClick={props.onClose}>
            {t.cancel}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

/** What a monitor is. */
export function Settings(props: { environment: string; setup: Setup }) {
  const { setup: s } = props;
  const [removing, setRemoving] = useState(false);
  const bounds: [string, string][] = [
    [t.money, s.max_cost_per_day === undefined ? t.noBounds : dollars(s.max_cost_per_day)],
    [t.days, s.deadline_sec === undefined ? t.byOperator : String(Math.round((s.deadline_sec / day) * 100) / 100)],
    [t.spans, String(s.min_spans ?? 1)],
    [texts.environment.id, s.id],
    [t.made, moment(Date.parse(s.created_at), zone.value).slice(0, 19)],
  ];
  return (
    <div class="reading">
      <section>
        <h2>{t.rules}</h2>
        <Rules setup={s} />
      </section>
      <section>
        <h2>{t.evaluators}</h2>
        <ul class="listed">
          {s.evaluators.map((e) => (
            <li key={e.evaluator_type}>
              <b>{visible(e.evaluator_type)}</b>
              <span class="hint">
                {e.sample_rate !== undefined && ` · ${percent(e.sample_rate)}`}
                {e.backend && ` · ${e.backend}`}
                {e.config && Object.keys(e.config).length > 0 && ` · ${beginning(JSON.stringify(e.config), 300)}`}
                {e.input_mapping && ` · ${t.inputs}: ${beginning(JSON.stringify(e.input_mapping), 300)}`}
                {s.on_verdict?.filter((o) => o.evaluator === e.evaluator_type).map((o) => ` · ${t.onVerdict}: ${t.actions[o.action]}${o.on_failure === "keep" ? `; ${t.onFailure}: ${t.stays}` : ""}`)}
              </span>
            </li>
          ))}
        </ul>
      </section>
      <dl class="facts">
        {bounds.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Changes>
        <p class="actions">
          <button onClick={() => setRemoving(true)}>{t.remove}</button>
        </p>
      </Changes>
      {removing && <Remove environment={props.environment} setup={s} onClose={() => setRemoving(false)} />}
    </div>
  );
}
