// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { executeSpan } from "../api/evaluators";
import { readSpans, type Row } from "../api/spans";
import type { Verdict } from "../api/verdicts";
import { presets, ready, type Ready } from "../monitors/ready";
import { boundsOf, type Period } from "../period/period";
import { Changes } from "../shell/changes";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { traceOf } from "../spans/table";
import { texts } from "../texts";
import { beginning, visible } from "../text/visible";
import { link } from "../url";
import { useLoaded } from "../use";
import { Badge } from "../verdict/badge";
import { ofType } from "./read";

const t = texts.overview.first;

/** What an evaluator says of a span, as if it were stored. */
async function tried(environment: string, span: Row, slug: string): Promise<Verdict> {
  const got = await executeSpan(environment, slug, { trace_id: span.trace_id, span_id: span.span_id, config: {} }, new AbortController().signal);
  const { result, good, backend } = got;
  const outputs = Object.fromEntries(Object.entries(result ?? {}).flatMap(([name, value]) => (typeof value === "object" ? [] : [[name, value] as const])));
  return { evaluator: slug, setup_id: "", status: result === null ? "skipped" : "done", reason: result === null ? "missing_input" : got.reason, backend, outputs, good };
}

/** One monitor that is offered: what it would say of a span, and the form that creates it. */
function Offer(props: { environment: string; preset: Ready; span: Row | undefined }) {
  const { preset, span } = props;
  const [said, setSaid] = useState<readonly Verdict[]>([]);
  const [wrong, setWrong] = useState("");
  const [busy, setBusy] = useState(false);
  const run = async (of: Row) => {
    setBusy(true);
    setWrong("");
    try {
      setSaid(await Promise.all(ready[preset].map((slug) => tried(props.environment, of, slug))));
    } catch (e) {
      setWrong(e instanceof Error ? e.message : String(e));
    }
    setBusy(false);
  };
  const { name, hint } = texts.monitors.ready[preset];
  return (
    <li>
      <p>
        <b>{name}</b> <span class="hint">{hint}</span>
      </p>
      <p class="actions">
        {span && (
          <button aria-label={t.runOf(name)} aria-disabled={busy} onClick={() => busy || void run(span)}>
            {t.run}
          </button>
        )}
        <Link class="button" label={t.createOf(name)} href={link(["monitors", "new"], { ready: preset })}>
          {t.create}
        </Link>
      </p>
      <div role="status">
        {said.map((v) => (
          <p key={v.evaluator}>
            <Badge verdict={v} characters={200} />
          </p>
        ))}
        {wrong !== "" && <p class="problem">{visible(wrong)}</p>}
      </div>
    </li>
  );
}

/** Monitors to begin with, where there are none, and what they would say of the latest call of a model. */
export function FirstMonitors(props: { environment: string; period: Period }) {
  const { environment, period } = props;
  const latest = useLoaded(
    async (signal) => (await readSpans(environment, { ...boundsOf(period), filters: [ofType("llm")], sort: "timestamp", order: "DESC", fields: [] }, "", signal, 1, false)).rows[0],
    [environment, JSON.stringify(period)],
  );
  const span = latest.data;
  return (
    <Changes>
      <section>
        <h2>{t.title}</h2>
        <Problem of={latest} />
        {span && (
          <p class="hint">
            {t.span} <Link href={traceOf(span)}>{beginning(span.name, 80)}</Link> {beginning(span.preview.answer || span.preview.output, 160)}
          </p>
        )}
        <ul class="offers">
          {presets.map((p) => (
            <Offer key={p + (span?.span_id ?? "")} environment={environment} preset={p} span={span} />
          ))}
        </ul>
      </section>
    </Changes>
  );
}
