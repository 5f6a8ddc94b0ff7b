// SPDX-License-Identifier: Apache-2.0

import { useEffect, useId, useRef, useState } from "preact/hooks";
import { type Alert, type AlertWish, createAlert, metrics, readAlert, replaceAlert, targetTypes } from "../api/alerts";
import { type Evaluator, readEvaluators } from "../api/evaluators";
import { filtersParam } from "../filter/filter";
import { Filters } from "../filter/filters";
import { suggestOf } from "../filter/suggest";
import { Field, focusOn, type Refused } from "../form/fields";
import { Sheet } from "../form/sheet";
import { namedBy } from "../form/typed";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { texts } from "../texts";
import { lasting } from "../text/format";
import { visible } from "../text/visible";
import { go, link, place } from "../url";
import { useLoaded } from "../use";
import { Course } from "./course";
import { begun, type Draft, draftOf, type DraftTarget, emptyTarget, kinds, wishOf } from "./draft";
import { nameOf } from "./list";
import { hasUsual, ofResults } from "./words";
import "../monitors/monitors.css";

const t = texts.alerts;

const windows = [300, 900, 3600, 6 * 3600, 86_400]; // seconds
const fields = ["service_name", "llm.request.model", "span_name", "agent_name"] as const;
const resultFields = ["evaluator", "setup_id", "backend"] as const;

/** What was typed and not saved yet, in this tab, by where it is typed. */
const drafts = new Map<string, Draft>();

/** What the API refused, in words of the form. */
function inForm(message: string): string {
  const named = message.replace(/^condition\.(above|below|worse_than_usual)\b/, "condition").replace("between 0 and 1: it is a share", "between 0 and 100");
  return metrics.reduce((text, m) => text.replaceAll(new RegExp(`\\b${m}\\b`, "g"), `“${t.metrics[m]}”`), named);
}

const paths = (d: Draft) => [
  "name", "metric", "evaluator", "output", "score_range", "condition", "group_by", "window_sec", "delay_sec", "false_alarms",
  ...d.targets.flatMap((_, i) => ["name", "type", "url", "secret"].map((f) => `targets[${i}].${f}`)),
];

function Targets(props: { targets: readonly DraftTarget[]; refused: Refused; onChange: (targets: DraftTarget[]) => void }) {
  const { targets, refused, onChange } = props;
  const change = (i: number, part: Partial<DraftTarget>) => onChange(targets.map((one, at) => (at === i ? { ...one, ...part } : one)));
  return (
    <fieldset>
      <legend>{t.targets}</legend>
      <p class="hint">{targets.length === 0 ? t.noTargetsHint : t.secretsHint}</p>
      {targets.map((one, i) => {
        const path = (field: string) => `targets[${i}].${field}`;
        return (
          <div class="target" key={i} role="group" aria-label={t.targetNumber(i + 1)}>
            <div class="fields">
              <Field path={path("name")} label={t.targetName} refused={refused}>
                {(given) => <input {...given} autocomplete="off" spellcheck={false} value={one.name} onInput={(e) => change(i, { name: e.currentTarget.value })} />}
              </Field>
              <Field path={path("type")} label={t.targetType} refused={refused}>
                {(given) => (
                  <select {...given} value={one.type} onChange={(e) => change(i, { type: targetTypes.find((type) => type === e.currentTarget.value) ?? "webhook" })}>
                    {targetTypes.map((type) => (
                      <option key={type} value={type}>
                        {t.types[type]}
                      </option>
                    ))}
                  </select>
                )}
              </Field>
              <Field path={path("url")} label={t.url} hint={one.stored === undefined ? undefined : t.storedUrl(visible(one.stored.host))} refused={refused}>
                {(given) => <input {...given} dir="ltr" inputMode="url" autocomplete="off" spellcheck={false} value={one.url} onInput={(e) => change(i, { url: e.currentTarget.value })} />}
              </Field>
              <Field path={path("secret")} label={t.secret} hint={one.stored?.has_secret === true ? t.storedSecret : t.secretHints[one.type]} refused={refused}>
                {(given) => <input {...given} type="password" autocomplete="off" value={one.secret} onInput={(e) => change(i, { secret: e.currentTarget.value })} />}
              </Field>
            </div>
            <button type="button" class="quiet icon" aria-label={t.removeTarget(i + 1)} onClick={() => onChange(targets.filter((_, at) => at !== i))}>
              ✕
            </button>
          </div>
        );
      })}
      <p>
        <button type="button" onClick={() => onChange([...targets, emptyTarget])}>
          {t.addTarget}
        </button>
      </p>
    </fieldset>
  );
}

/** The form of an alert: what is watched, when it fires, and where messages go. Next to it is the last day of what it would watch. */
function Form(props: { environment: string; title: string; at: string; first: Draft; stored?: Alert; hint?: string; back: string; save: string; onSave: (wish: AlertWish) => Promise<Alert> }) {
  const { environment, at, stored } = props;
  const [d, setDraft] = useState<Draft>(drafts.get(at) ?? props.first);
  const [refused, setRefused] = useState<Refused>();
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const names = useId();
  const evaluators = useLoaded<Evaluator[]>((signal) => readEvaluators(environment, signal), [environment]);
  const change = (part: Partial<Draft>) => {
    const now = { ...d, ...part };
    drafts.set(at, now);
    setDraft(now);
  };
  useEffect(() => focusOn(form.current, refused?.path), [refused]);
  const wish = wishOf(d, stored);
  const save = async () => {
    if (busy) return;
    setBusy(true);
    setRefused(undefined);
    try {
      const made = await props.onSave(wish);
      drafts.delete(at);
      go(link(["alerts", nameOf(made)]));
    } catch (e) {
      const message = inForm(e instanceof Error ? e.message : String(e));
      setRefused({ path: namedBy(message, paths(d)), message });
      setBusy(false);
    }
  };
  const results = ofResults(d.metric);
  const text = (path: string, label: string, hint: string | undefined, value: string, set: (v: string) => void, list?: string) => (
    <Field path={path} label={label} hint={hint} refused={refused}>
      {(given) => <input {...given} list={list} inputMode={list === undefined ? "decimal" : undefined} spellcheck={false} autocomplete="off" value={value} onInput={(e) => set(e.currentTarget.value)} />}
    </Field>
  );
  const outputs = evaluators.data?.find((e) => e.slug === d.evaluator)?.output_schema ?? [];
  const bys = [...new Set([...fields, ...(results ? resultFields : []), ...(d.by === "" ? [] : [d.by])])];
  return (
    <div class="list wide">
      <Link href={props.back} class="back">
        ‹ {t.title}
      </Link>
      <h1>{props.title}</h1>
      {props.hint && <p class="hint">{props.hint}</p>}
      <Sheet
        form={form}
        onSubmit={() => void save()}
        fields={
          <>
            <Field path="name" label={t.name} refused={refused}>
              {(given) => <input {...given} autocomplete="off" spellcheck={false} value={d.name} onInput={(e) => change({ name: e.currentTarget.value })} />}
            </Field>
            <fieldset>
              <legend>{t.what}</legend>
              <div class="fields">
                <Field path="metric" label={t.metric} refused={refused}>
                  {(given) => (
                    <select
                      {...given}
                      value={d.metric}
                      onChange={(e) => {
                        const metric = metrics.find((m) => m === e.currentTarget.value) ?? d.metric;
                        const kind = metric === "duration_p95" || (d.kind === "worse_than_usual" && !hasUsual(metric)) ? "above" : d.kind;
                        change({ metric, kind, by: ofResults(metric) || !resultFields.some((f) => f === d.by) ? d.by : "" });
                      }}
                    >
                      {metrics.map((m) => (
                        <option key={m} value={m}>
                          {t.metrics[m]}
                        </option>
                      ))}
                    </select>
                  )}
                </Field>
                {results && text("evaluator", t.evaluator, d.metric === "mean_score" ? undefined : t.evaluatorHint, d.evaluator, (evaluator) => change({ evaluator }), names)}
                {d.metric === "mean_score" && text("output", t.output, undefined, d.output, (output) => change({ output }), names + "-outputs")}
                {d.metric === "mean_score" && text("score_range", t.lowest, undefined, d.lowest, (lowest) => change({ lowest }))}
                {d.metric === "mean_score" && text("score_range_to", t.highest, undefined, d.highest, (highest) => change({ highest }))}
                <Field path="group_by" label={t.by} hint={t.byHint} refused={refused}>
                  {(given) => (
                    <select {...given} value={d.by} onChange={(e) => change({ by: e.currentTarget.value })}>
                      <option value="">{texts.trends.byNothing}</option>
                      {bys.map((f) => (
                        <option key={f} value={f}>
                          {f.split(",").map((one) => t.fields[one] ?? visible(one)).join(", ")}
                        </option>
                      ))}
                    </select>
                  )}
                </Field>
              </div>
              <datalist id={names}>
                {(evaluators.data ?? []).map((e) => (
                  <option key={e.slug} value={e.slug} />
                ))}
              </datalist>
              <datalist id={names + "-outputs"}>
                {outputs.map((o) => (
                  <option key={o.name} value={o.name} />
                ))}
              </datalist>
            </fieldset>
            <fieldset>
              <legend>{t.when}</legend>
              <div class="fields">
                <Field path="kind" label={t.kind} refused={refused}>
                  {(given) => (
                    <select {...given} value={d.kind} onChange={(e) => change({ kind: kinds.find((k) => k === e.currentTarget.value) ?? "above" })}>
                      {kinds.filter((k) => (k === "worse_than_usual" ? hasUsual(d.metric) : k === "above" || d.metric !== "duration_p95")).map((k) => (
                        <option key={k} value={k}>
                          {t.kinds[k]}
                        </option>
                      ))}
                    </select>
                  )}
                </Field>
                {d.kind !== "worse_than_usual" && text("condition", t.thresholds[d.metric], undefined, d.threshold, (threshold) => change({ threshold }))}
                <Field path="window_sec" label={t.window} refused={refused}>
                  {(given) => (
                    <select {...given} value={d.window} onChange={(e) => change({ window: e.currentTarget.value })}>
                      {[...new Set([...windows, Number(d.window)])].sort((a, b) => a - b).map((w) => (
                        <option key={w} value={w}>
                          {lasting(w)}
                        </option>
                      ))}
                    </select>
                  )}
                </Field>
                {text("delay_sec", t.delay, t.delayHint, d.delay, (delay) => change({ delay }))}
                {text("false_alarms", t.falseAlarms, t.falseAlarmsHint, d.falseAlarms, (falseAlarms) => change({ falseAlarms }))}
              </div>
              <label class="check">
                <input type="checkbox" checked={d.noData} onChange={(e) => change({ noData: e.currentTarget.checked })} />
                {t.noData}
              </label>
            </fieldset>
            <Targets targets={d.targets} refused={refused} onChange={(targets) => change({ targets })} />
            <Problem of={evaluators} />
            {refused && refused.path === undefined && (
              <p class="problem" role="alert">
                {visible(refused.message)}
              </p>
            )}
            <p class="actions">
              <button type="submit" class="primary" aria-disabled={busy}>
                {busy ? texts.monitors.saving : props.save}
              </button>
              <Link href={props.back} class="button">
                {texts.monitors.cancel}
              </Link>
            </p>
          </>
        }
      >
        <section class="preview-alert" aria-label={t.preview}>
          <h2>{t.spans}</h2>
          <Filters filters={d.filters} onChange={(filters) => change({ filters })} suggest={suggestOf(environment, "24h", d.filters)} refused={/\bfilters\[/.test(refused?.message ?? "") ? refused?.message : undefined} />
          {stored?.q !== undefined && <p class="hint">{t.line(visible(stored.q))}</p>}
          <h2>{t.course}</h2>
          {d.metric === "mean_score" && (d.evaluator === "" || d.output === "") ? <p class="hint">{t.choose}</p> : <Course environment={environment} watched={wish} condition={numeric(wish)} />}
        </section>
      </Sheet>
    </div>
  );
}

/** The condition as far as its threshold is a number. */
const numeric = (w: AlertWish) => Object.fromEntries(Object.entries(w.condition).filter(([, v]) => typeof v !== "string" && v !== undefined));

/** A new alert, begun with what the address says. */
export function New(props: { environment: string }) {
  const { params } = place.value;
  const first = begun(params);
  return (
    <Form
      environment={props.environment}
      title={t.add}
      at={`${props.environment} new ${first.metric} ${first.evaluator} ${first.output} ${first.by} ${filtersParam(first.filters)}`}
      first={first}
      back={link(["alerts"])}
      save={texts.monitors.create}
      onSave={(wish) => createAlert(props.environment, wish)}
    />
  );
}

/** An alert that is there, to be changed. */
export function Edit(props: { environment: string; name: string }) {
  const { environment, name } = props;
  const read = useLoaded((signal) => readAlert(environment, name, signal), [environment, name]);
  if (read.data === undefined) {
    return (
      <div class="list">
        <h1>{t.edit}</h1>
        <Problem of={read} />
      </div>
    );
  }
  return (
    <Form
      environment={environment}
      title={texts.monitors.ofName(t.edit, visible(read.data.name))}
      at={`${environment} ${read.data.id} ${read.data.updated_at}`}
      first={draftOf(read.data)}
      stored={read.data}
      hint={t.startsOver}
      back={link(["alerts", name])}
      save={texts.monitors.save}
      onSave={(wish) => replaceAlert(environment, name, wish)}
    />
  );
}
