// SPDX-License-Identifier: Apache-2.0

import { useLayoutEffect, useRef } from "preact/hooks";
import type { FullSpan } from "../api/traces";
import { explain, type ExplainedSetup, type Finding, type Verdict } from "../api/verdicts";
import { Changes } from "../shell/changes";
import { bind } from "../shell/keys";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { texts } from "../texts";
import { dollars, milliseconds, nanoseconds } from "../text/format";
import { sentence } from "../text/sentence";
import { beginning, visible } from "../text/visible";
import { link } from "../url";
import { useLoaded } from "../use";
import { Badge, Icon } from "../verdict/badge";
import { byWeight, kindOf } from "../verdict/kind";
import { isDebatable, Opinions, opinionsOf, OwnOpinion } from "../verdict/opinion";
import type { Only } from "./attributes";

const t = texts.trace;

function Rule(props: { finding: Finding }) {
  const { finding: f } = props;
  return (
    <li class={f.holds ? "rule" : "rule fails"}>
      <span class={f.holds ? "mark for" : "mark against"}>
        <span aria-hidden="true">{f.holds ? "✓" : "✗"}</span>
        <span class="unseen">{f.holds ? t.holds : t.fails}</span>
      </span>
      <div>
        <p>
          <code>{visible(f.key)}</code> {f.source === "resource_attributes" && <span class="hint">{t.ofResource}</span>} {t.operators[f.operator] ?? f.operator}{" "}
          {f.wanted.map((w, i) => (
            <>
              {i > 0 && ", "}
              <code>{visible(w)}</code>
            </>
          ))}
        </p>
        {!f.holds && <p class="hint">{f.present ? t.has(visible(f.actual) + (f.truncated ? "…" : "")) : t.hasNot}</p>}
        {f.hint !== undefined && f.hint !== "" && <p class="hint">{visible(f.hint)}</p>}
      </div>
    </li>
  );
}

/** Whether all its evaluators have judged the span. */
const isSettled = (s: ExplainedSetup) => s.matched && s.evaluators.every((e) => e.status === "done");

/** One monitor: what became of the span, rule by rule and evaluator by evaluator. */
function Setup(props: { setup: ExplainedSetup; verdicts: readonly Verdict[]; /** When the span began, in Unix seconds. */ at: number }) {
  const { setup: s } = props;
  const good = (slug: string) => props.verdicts.find((v) => v.setup_id === s.setup_id && v.evaluator === slug)?.good ?? null;
  return (
    <details class="setup" open={!isSettled(s)}>
      <summary>
        <b>{s.external_id === undefined || s.external_id === "" ? t.gone : beginning(s.external_id, 120)}</b>
        {s.paused && <span class="hint"> {t.paused}</span>}
        <span class="sentence">{sentence(s.sentence)}</span>
      </summary>
      {s.evaluators.some((e) => e.status !== "none") && (
        <ul class="evaluators">
          {s.evaluators.map((e) => (
            <li key={e.evaluator_type}>
              {e.status === "none" ? <span class="mark">–</span> : <Icon kind={kindOf({ status: e.status, good: good(e.evaluator_type) })} />}
              <p>
                {beginning(e.evaluator_type, 80)} <span class="hint">{sentence(e.sentence)}</span>
              </p>
            </li>
          ))}
        </ul>
      )}
      {s.made_after_span && !s.deleted && s.external_id && (
        <Changes>
          <p>
            <Link class="button" href={link(["monitors", s.external_id], { tab: "backfill", from: String(props.at), to: String(props.at + 1) })}>{t.judgeNow}</Link>
          </p>
        </Changes>
      )}
      {s.rules.length === 0 && !s.deleted && <p class="hint">{t.noRules}</p>}
      {s.rules.length > 0 && (
        <ol class="rules" aria-label={t.rules}>
          {s.rules.map((f, i) => (
            <Rule key={i} finding={f} />
          ))}
        </ol>
      )}
    </details>
  );
}

/** Who judged, how long that took and what it cost, as far as the answer says it. */
function tookOf(v: Verdict): string {
  const took = v.duration_ns === undefined ? "" : nanoseconds(Number(v.duration_ns));
  const cost = v.cost_usd === undefined || v.cost_usd === 0 ? "" : dollars(v.cost_usd);
  return [v.setup_id === "" ? texts.verdicts.sdk : visible(v.backend), took, cost].filter((s) => s !== "").join(", ");
}

/** The monitor that a verdict is of, where it is known by a name. */
function Monitor(props: { of: ExplainedSetup | undefined }) {
  const name = props.of?.external_id ?? "";
  if (name === "" || props.of?.deleted) return null;
  return (
    <Link class="value" href={link(["monitors", name])}>
      {beginning(name, 40)}
    </Link>
  );
}

/** The result of every evaluator, and for every monitor the reason. onSaid is called when a user gave an opinion. */
export function Verdicts(props: { environment: string; span: FullSpan; only: Only; onSaid: () => void }) {
  const { span } = props;
  const list = useRef<HTMLUListElement>(null);
  // A key is for the result that has the focus, or else for the first one.
  useLayoutEffect(() => {
    const press = (says: "right" | "wrong") => {
      const own = document.activeElement?.closest(".verdicts > li") ?? list.current;
      own?.querySelector<HTMLElement>(`[data-says=${says}]`)?.click();
    };
    const unbind = [bind("r", () => press("right")), bind("w", () => press("wrong"))];
    return () => unbind.forEach((u) => u());
  }, []);
  const opinions = new Set(span.verdicts.filter(isDebatable).flatMap((v) => opinionsOf(v, span.verdicts)));
  const counted = span.verdicts.map((v) => v.status + v.evaluator).join();
  const several = new Set(span.verdicts.map((v) => v.setup_id)).size > 1;
  const why = useLoaded((signal) => explain(props.environment, span.trace_id, span.span_id, signal), [props.environment, span.trace_id, span.span_id, counted]);
  return (
    <>
      <h3>{texts.verdicts.list}</h3>
      {span.verdicts.length === 0 && <p class="hint">{t.noVerdicts}</p>}
      <ul class="verdicts" ref={list}>
        {byWeight(span.verdicts.filter((v) => !opinions.has(v))).map((v) => (
          <li key={v.setup_id + v.evaluator}>
            <Badge verdict={v} only={props.only} characters={200} />
            <span class="hint">
              {several && <Monitor of={why.data?.setups.find((s) => s.setup_id === v.setup_id)} />} {tookOf(v)}{" "}
              {v.setup_id !== "" && (
                <Link class="value" href={link(["evaluators", v.evaluator], { trace: span.trace_id, span: span.span_id })}>
                  {texts.evaluators.tryIt}
                  <span class="unseen"> {texts.evaluators.tryOn(beginning(v.evaluator, 80))}</span>
                </Link>
              )}
            </span>
            <Opinions of={v} said={opinionsOf(v, span.verdicts)} />
            {isDebatable(v) && <OwnOpinion environment={props.environment} span={span} of={v} said={opinionsOf(v, span.verdicts)} onSaid={props.onSaid} />}
          </li>
        ))}
      </ul>
      <h3>{t.monitors}</h3>
      <Problem of={why} />
      {why.data && (
        <>
          {why.data.setups.length === 0 ? <p class="hint">{t.noMonitors}</p> : <p>{sentence(why.data.sentence)}</p>}
          {[...why.data.setups.filter((s) => !isSettled(s)), ...why.data.setups.filter(isSettled)].map((s) => (
            <Setup key={s.setup_id} setup={s} verdicts={span.verdicts} at={Math.floor(milliseconds(span.start_ns) / 1000)} />
          ))}
          {why.data.truncated && <p class="hint">{t.someMonitors}</p>}
        </>
      )}
    </>
  );
}
