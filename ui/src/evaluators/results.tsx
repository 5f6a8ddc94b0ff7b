// SPDX-License-Identifier: Apache-2.0

import type { Tried } from "../api/evaluators";
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
  /** The run that it belongs to. */
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

function Outputs(props: { tried: Tried }) {
  const { tried } = props;
  return (
    <>
      <p>
        {tried.good !== null && <Icon kind={tried.good ? "for" : "against"} />} <b>{visible(tried.backend)}</b>{" "}
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

/** The results of the runs, the newest first, with a note where backends disagree. */
export function Results(props: { list: readonly Result[] }) {
  const { list } = props;
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
            {r.done && Object.keys(r.done.outputs).length > 0 && <Outputs tried={r.done} />}
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
