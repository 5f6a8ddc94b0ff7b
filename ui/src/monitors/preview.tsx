// SPDX-License-Identifier: Apache-2.0

import { useEffect, useState } from "preact/hooks";
import { type Preview, preview, type Wish } from "../api/monitors";
import { Link } from "../shell/link";
import { zone } from "../shell/settings";
import { texts } from "../texts";
import { count, moment } from "../text/format";
import { beginning, visible } from "../text/visible";
import { link } from "../url";

const t = texts.monitors;
const settling = 500; // milliseconds without a change after which it is asked
const hour = 3600;

function Samples(props: { of: Preview }) {
  return (
    <ul class="samples">
      {props.of.samples.map((s) => (
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
            </div>
          ))}
        </li>
      ))}
    </ul>
  );
}

function Found(props: { of: Preview }) {
  const { of } = props;
  return (
    <>
      <p>
        <b>{t.would(count(of.spans), count(of.matched))}</b>
      </p>
      {of.truncated && <p class="hint">{t.cut}</p>}
      {of.evaluators.map((e) => {
        const missing = Object.entries(e.missing);
        return (
          <div key={e.evaluator_type}>
            {e.status === "needs_model" && <p class="note">{t.unready(visible(e.evaluator_type))}</p>}
            {e.error_message && e.status === "failed" && <p class="problem">{beginning(e.error_message, 300)}</p>}
            {missing.length > 0 && (
              <p class="note">{t.lacks(visible(e.evaluator_type), Math.max(...missing.map(([, n]) => n)), of.samples.length, missing.map(([name]) => visible(name)).join(", "))}</p>
            )}
          </div>
        );
      })}
      <Samples of={of} />
    </>
  );
}

/** What a monitor would see of the last hour, while it is written. */
export function PreviewOf(props: { environment: string; wish: Wish }) {
  const { external_id: _, ...wish } = props.wish;
  const asked = JSON.stringify(wish);
  const [found, setFound] = useState<Preview>();
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const nothing = wish.evaluators.length === 0;
  useEffect(() => {
    if (nothing) return;
    const left = new AbortController();
    const timer = setTimeout(async () => {
      setBusy(true);
      try {
        setFound(await preview(props.environment, wish, Math.floor(Date.now() / 1000) - hour, left.signal));
        setProblem("");
      } catch (e) {
        if (left.signal.aborted) return;
        setFound(undefined);
        setProblem(e instanceof Error ? e.message : String(e));
      }
      setBusy(false);
    }, settling);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [props.environment, asked]);
  return (
    <aside class="preview" aria-label={t.preview}>
      <h2>
        {t.preview} <span class="hint">{t.previewOf}</span>
      </h2>
      <div aria-live="polite" aria-busy={busy}>
        {nothing ? <p class="hint">{t.choose}</p> : problem !== "" ? <p class="hint">{visible(problem)}</p> : found ? <Found of={found} /> : <p class="hint">{t.previewing}</p>}
      </div>
    </aside>
  );
}
