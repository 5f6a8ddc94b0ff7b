// SPDX-License-Identifier: Apache-2.0

import type { EvaluatorSchema, Tried } from "../api/evaluators";
import { texts } from "../texts";
import { count, dollars, nanoseconds } from "../text/format";
import { beginning, visible } from "../text/visible";
import { Icon, reasonText } from "../verdict/badge";
import { outputText } from "../verdict/kind";
import { differ } from "./differ";

const t = texts.evaluators;

/** One run: under way while it has neither an end nor an error. */
export type Result = {
  id: number;
  /** Which of the runs that somebody asked for it belongs to. */
  run: number;
  /** The backend that was asked for, "" for the best there is. */
  backend: string;
  cancel: () => void;
  done?: Tried;
  error?: string;
  inputs?: Readonly<Record<string, string>>;
  missing?: readonly string[];
  reason?: string;
};

/** The values by which outputs speak for what was judged, by their names. */
type Good = EvaluatorSchema["good"];

/** Whether outputs speak for what was judged or against it; undefined where none says. */
function polarity(good: Good, tried: Tried): "for" | "against" | undefined {
  let said: "for" | "against" | undefined;
  for (const [name, wanted] of Object.entries(good)) {
    const value = tried.outputs[name];
    if (value === undefined) continue;
    if (value !== wanted) return "against";
    said = "for";
  }
  return said;
}

function Outputs(props: { good: Good; tried: Tried }) {
  const { tried } = props;
  const kind = polarity(props.good, tried);
  return (
    <>
      <p>
        {kind && <Icon kind={kind} />} <b>{visible(tried.backend)}</b>{" "}
        <span class="hint">
          {nanoseconds(Math.round(tried.duration * 1e6))}
          {tried.tokens > 0 && ` · ${texts.trace.tokens(count(tried.tokens))}`}
          {tried.cost > 0 && ` · ${dollars(tried.cost)}`}
        </span>
      </p>
      <dl class="outputs">
        {Object.entries(tried.outputs).map(([name, value]) => (
          <div key={name}>
            <dt>{visible(name)}</dt>
            <dd>{beginning(outputText(value), 2000)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** What the runs came to, the newest first. Backends that do not agree are told. */
export function Results(props: { list: readonly Result[]; good: Good }) {
  const { list, good } = props;
  if (list.length === 0) return <p class="hint">{t.noResults}</p>;
  return (
    <>
      {differ(list) && <p class="note">{t.differ}</p>}
      <ul class="results">
        {list.map((r) => (
          <li key={r.id}>
            {r.done === undefined && r.error === undefined && (
              <p>
                {t.running} {visible(r.backend)}{" "}
                <button type="button" class="quiet" onClick={r.cancel}>
                  {t.cancel}
                </button>
              </p>
            )}
            {r.error !== undefined && (
              <p class="problem">
                {r.backend !== "" && `${visible(r.backend)}: `}
                {visible(r.error)}
              </p>
            )}
            {r.reason !== undefined && r.reason !== "" && (
              <p class="note">
                {reasonText(r.reason)}
                {r.missing !== undefined && r.missing.length > 0 && `: ${r.missing.map(visible).join(", ")}`}
              </p>
            )}
            {r.done && Object.keys(r.done.outputs).length > 0 && <Outputs good={good} tried={r.done} />}
            {r.inputs && Object.keys(r.inputs).length > 0 && (
              <details>
                <summary>{t.inputs}</summary>
                <dl class="outputs">
                  {Object.entries(r.inputs).map(([name, text]) => (
                    <div key={name}>
                      <dt>{visible(name)}</dt>
                      <dd>{beginning(text, 1000)}</dd>
                    </div>
                  ))}
                </dl>
              </details>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
