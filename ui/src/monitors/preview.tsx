// SPDX-License-Identifier: Apache-2.0

import { useEffect, useState } from "preact/hooks";
import { type Preview, preview, type Rule, type Wish } from "../api/monitors";
import { texts } from "../texts";
import { count } from "../text/format";
import { beginning, visible } from "../text/visible";
import { type Draft, hasValue, inForm } from "./draft";
import { Samples } from "./samples";

const t = texts.monitors;
const settling = 500; // milliseconds without a change after which it is asked
const hour = 3600;

function Found(props: { environment: string; of: Preview; wish: Pick<Wish, "evaluators"> }) {
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
      <Samples key={JSON.stringify([props.wish.evaluators, of.samples])} environment={props.environment} of={of} evaluators={props.wish.evaluators} />
    </>
  );
}

/** Whether a rule says all that it has to. */
const isWhole = (r: Rule) => r.key !== "" && (!hasValue(r.operator ?? "equals") || (r.values === undefined ? r.value !== "" : r.values.some((v) => v !== "")));

/** What a monitor would see of the last hour, while it is written. */
export function PreviewOf(props: { environment: string; wish: Wish; draft: Draft }) {
  const { external_id: _, ...asWritten } = props.wish;
  const nothing = asWritten.evaluators.length === 0;
  // Rules that are being written do not count.
  const wish = { ...asWritten, selector: asWritten.selector.filter(isWhole) };
  const asked = JSON.stringify(wish);
  const [found, setFound] = useState<Preview>();
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  useEffect(() => {
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
        {nothing && <p class="hint">{t.choose}</p>}
        {problem !== "" ? <p class="hint">{visible(inForm(problem, props.draft))}</p> : found ? <Found environment={props.environment} of={found} wish={wish} /> : <p class="hint">{t.previewing}</p>}
      </div>
    </aside>
  );
}
