// SPDX-License-Identifier: Apache-2.0

import { useEffect, useState } from "preact/hooks";
import { ofSpans } from "../api/figures";
import { type Preview, preview, type Rule, type Wish } from "../api/monitors";
import { texts } from "../texts";
import { count } from "../text/format";
import { beginning, visible } from "../text/visible";
import { filtersOfRules, hasValue } from "./draft";
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

const isWhole = (r: Rule) => r.key !== "" && (!hasValue(r.operator ?? "equals") || r.values !== undefined || r.value !== "");

/** How many spans of the last hour pass the rules, before it is said what judges; undefined where no filter says a rule. */
async function counted(environment: string, rules: readonly Rule[], signal: AbortSignal) {
  const filters = filtersOfRules(rules.filter(isWhole));
  if (filters === undefined) return undefined;
  const asked = { from: Math.floor(Date.now() / 1000) - hour, to: undefined, measures: ["count"] };
  const [all, some] = await Promise.all([ofSpans(environment, asked, signal), ofSpans(environment, { ...asked, filters }, signal)]);
  return { spans: all.total.count ?? 0, matched: some.total.count ?? 0 };
}

/** What a monitor would see of the last hour, while it is written. */
export function PreviewOf(props: { environment: string; wish: Wish }) {
  const { external_id: _, ...wish } = props.wish;
  const asked = JSON.stringify(wish);
  const [found, setFound] = useState<Preview>();
  const [passing, setPassing] = useState<Awaited<ReturnType<typeof counted>>>();
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const nothing = wish.evaluators.length === 0;
  useEffect(() => {
    const left = new AbortController();
    const timer = setTimeout(async () => {
      setBusy(true);
      try {
        if (nothing) setPassing(await counted(props.environment, wish.selector, left.signal));
        else setFound(await preview(props.environment, wish, Math.floor(Date.now() / 1000) - hour, left.signal));
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
        {nothing ? (
          <>
            {passing && (
              <p>
                <b>{t.would(count(passing.spans), count(passing.matched))}</b>
              </p>
            )}
            <p class="hint">{t.choose}</p>
          </>
        ) : problem !== "" ? <p class="hint">{visible(problem)}</p> : found ? <Found environment={props.environment} of={found} wish={wish} /> : <p class="hint">{t.previewing}</p>}
      </div>
    </aside>
  );
}
