// SPDX-License-Identifier: Apache-2.0

import { useEffect, useRef, useState } from "preact/hooks";
import { type Executed, executeSpan } from "../api/evaluators";
import type { Preview, Wish } from "../api/monitors";
import { Link } from "../shell/link";
import { zone } from "../shell/settings";
import { texts } from "../texts";
import { moment, nanoseconds } from "../text/format";
import { beginning, visible } from "../text/visible";
import { link } from "../url";
import { Icon, reasonText } from "../verdict/badge";
import { kindOf, outputText } from "../verdict/kind";

const t = texts.monitors;

type Sample = Preview["samples"][number];
type Evaluators = Wish["evaluators"];

/** What an evaluator said of a sample, or why it did not. */
type Said = Executed | string;

const keyOf = (s: Sample, slug: string) => `${s.trace_id} ${s.span_id} ${slug}`;

/** What an evaluator said of a sample. */
function Verdict(props: { said: Said | undefined }) {
  const { said } = props;
  if (said === undefined) return null;
  if (typeof said === "string") return <p class="problem">{beginning(said, 300)}</p>;
  if (said.result === null) return said.missing.length > 0 ? null : <p class="hint">{reasonText(said.reason)}</p>;
  return (
    <p class="badge">
      <Icon kind={kindOf({ status: "done", good: said.good })} />{" "}
      {Object.entries(said.result).map(([name, value]) => (
        <span class="output" key={name}>
          {visible(name)} = {beginning(outputText(value), 200)}
        </span>
      ))}{" "}
      <span class="hint">
        · {visible(said.backend)} · {nanoseconds(Math.round(said.duration_ms * 1e6))}
      </span>
    </p>
  );
}

/** Spans that match, what each evaluator would read of them, and what it says of them when the user wants to know. */
export function Samples(props: { environment: string; of: Preview; evaluators: Evaluators }) {
  const { samples } = props.of;
  const [said, setSaid] = useState<ReadonlyMap<string, Said>>(new Map());
  const [busy, setBusy] = useState(false);
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const run = async () => {
    const left = new AbortController();
    running.current = left;
    setBusy(true);
    setSaid(new Map());
    const one = async (s: Sample, e: Evaluators[number]) => {
      const config = { ...e.config, ...(e.backend === undefined ? {} : { backend: e.backend }) };
      const of = { trace_id: s.trace_id, span_id: s.span_id, config, ...(e.input_mapping === undefined ? {} : { input_mapping: e.input_mapping }) };
      let came: Said;
      try {
        came = await executeSpan(props.environment, e.evaluator_type, of, left.signal);
      } catch (error) {
        came = error instanceof Error ? error.message : String(error);
      }
      if (!left.signal.aborted) setSaid((before) => new Map(before).set(keyOf(s, e.evaluator_type), came));
    };
    await Promise.all(props.evaluators.map(async (e) => {
      for (const s of samples) if (!left.signal.aborted) await one(s, e);
    }));
    if (!left.signal.aborted) setBusy(false);
  };
  if (samples.length === 0) return null;
  return (
    <>
      {props.evaluators.length > 0 && (
        <p>
          <button type="button" aria-disabled={busy} onClick={() => !busy && void run()}>
            {busy ? t.runningSamples : t.runSamples}
          </button>{" "}
          <span class="hint">{texts.evaluators.storesNothing}</span>
        </p>
      )}
      <ul class="samples">
        {samples.map((s) => (
          <li key={s.trace_id + s.span_id}>
            <Link href={link(["traces", s.trace_id], { span: s.span_id, at: String(Math.floor(s.timestamp / 1000)) })}>
              {t.sample(beginning(s.span_name, 60), moment(s.timestamp, zone.value).slice(11, 19))}
            </Link>
            {s.evaluators.map((e) => (
              <div key={e.evaluator_type}>
                <span class="hint">{visible(e.evaluator_type)}</span>
                {!e.sampled && <span class="hint"> {t.notSampled}</span>}
                <dl>
                  {Object.entries(e.inputs).map(([name, text]) => (
                    <div key={name}>
                      <dt>{visible(name)}</dt>
                      <dd>{beginning(text, 240)}</dd>
                    </div>
                  ))}
                  {e.missing.map((name) => (
                    <div key={name}>
                      <dt>{visible(name)}</dt>
                      <dd class="problem">{texts.verdicts.reasons.missing_input}</dd>
                    </div>
                  ))}
                </dl>
                <Verdict said={said.get(keyOf(s, e.evaluator_type))} />
              </div>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}
