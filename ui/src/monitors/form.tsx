// SPDX-License-Identifier: Apache-2.0

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Evaluator, type EvaluatorSchema, readEvaluators, readSchema } from "../api/evaluators";
import { Refusal } from "../api/http";
import { readMe } from "../api/me";
import { backfill, create, createCurl, readSetup, replace, replaceCurl, type Wish } from "../api/monitors";
import { readFields } from "../api/spans";
import { filtersOf } from "../filter/filter";
import { Field, focusOn, type Refused } from "../form/fields";
import { Sheet } from "../form/sheet";
import { namedBy, objectOf } from "../form/typed";
import { CopyText } from "../shell/copy";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { texts } from "../texts";
import { visible } from "../text/visible";
import { go, link, place } from "../url";
import { useLoaded } from "../use";
import { type Draft, type DraftRule, draftOf, emptyDraft, emptyEvaluator, emptyRule, inForm, pathsOf, rulesOf, wishOf } from "./draft";
import { Chosen, Picker } from "./evaluators";
import { PreviewOf } from "./preview";
import { isReady, ready } from "./ready";
import { Rules } from "./rules";
import { unmapped } from "./state";
import { nameOf } from "./status";

const t = texts.monitors;
const day = 86_400;

/** What was typed and not saved yet, in this tab, by where it is typed. */
const drafts = new Map<string, Draft>();

/** The rule of a monitor that evaluates calls of models. */
const modelCalls: DraftRule = { ...emptyRule, key: "span_type", value: "llm" };

/** The draft that an address asks for; where it does not say which spans, of calls of models. */
function begun(): Draft {
  const { filters, ready: preset, evaluator } = place.value.params;
  const wanted = filtersOf(filters) ?? [];
  const rules = wanted.length === 0 ? [modelCalls] : rulesOf(wanted).rules;
  if (preset !== undefined && isReady(preset)) return { ...emptyDraft, name: preset, rules: [modelCalls], evaluators: ready[preset].map(emptyEvaluator) };
  return { ...emptyDraft, rules, evaluators: evaluator === undefined || evaluator === "" ? [] : [emptyEvaluator(evaluator)] };
}

/** Schemas of the evaluators that were chosen, as far as they are there. */
function useSchemas(environment: string, slugs: readonly string[]): ReadonlyMap<string, EvaluatorSchema> {
  const [known, setKnown] = useState<ReadonlyMap<string, EvaluatorSchema>>(new Map());
  useEffect(() => {
    const left = new AbortController();
    for (const slug of slugs) {
      if (known.has(slug)) continue;
      readSchema(environment, slug, left.signal).then(
        (s) => setKnown((before) => new Map(before).set(slug, s)),
        () => {}, // its settings cannot be shown; the API says what is wrong with what is saved
      );
    }
    return () => left.abort();
  }, [environment, slugs.join("\n")]);
  return known;
}

type Save = { label: string; primary?: boolean; does: (wish: Wish) => Promise<string> };

/** Says which of the evaluators that were chosen cannot work here, before the monitor is created. */
function CannotRun(props: { environment: string; draft: Draft; schemas: ReadonlyMap<string, EvaluatorSchema> }) {
  const fields = useLoaded((signal) => readFields(props.environment, Math.floor(Date.now() / 1000) - day, signal), [props.environment]);
  const has = (attribute: string) => fields.data === undefined || fields.data.fields.some((f) => f.id === attribute);
  const said = props.draft.evaluators.flatMap((e) => {
    const schema = props.schemas.get(e.slug);
    if (schema === undefined) return [];
    const lacking = unmapped(schema, e.mapping, has);
    const backend = schema.backends.find((b) => b.backend === e.backend);
    const why = [
      ...(schema.auto === "" || backend?.available === false ? [backend?.needs ?? t.states.noJudge] : []),
      ...(lacking.length > 0 ? [t.states.unmapped(lacking.map(visible).join(", "), lacking.length)] : []),
    ];
    return why.length > 0 ? [t.cannotRun(visible(e.slug), why.join("; "))] : [];
  });
  return (
    <div role="status">
      {said.map((one) => (
        <p class="note" key={one}>
          {one}
        </p>
      ))}
    </div>
  );
}

/** What can be done where another user changed the monitor meanwhile: to show theirs, or to save what was typed over it. */
type Conflict = { theirs: () => void; mine: Save };

/** The form of a monitor: rules, evaluators with their settings, bounds, and what it would see. */
function Form(props: { environment: string; title: string; at: string; first: Draft; named: boolean; hint?: string; left: string; saves: readonly Save[]; curl: (wish: Wish) => string; back: string; conflict?: Conflict }) {
  const { environment, at } = props;
  const [draft, setDraft] = useState<Draft>(drafts.get(at) ?? props.first);
  const [refused, setRefused] = useState<Refused>();
  const [busy, setBusy] = useState(false);
  const [overtaken, setOvertaken] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const evaluators = useLoaded<Evaluator[]>((signal) => readEvaluators(environment, signal), [environment]);
  const me = useLoaded((signal) => readMe(environment, signal), [environment]);
  const schemas = useSchemas(environment, draft.evaluators.map((e) => e.slug));
  const change = (part: Partial<Draft>) => {
    const now = { ...draft, ...part };
    drafts.set(at, now);
    setDraft(now);
  };
  const wish = useMemo(
    () => wishOf(draft, (e) => (schemas.has(e.slug) ? objectOf(schemas.get(e.slug)?.config ?? {}, e.config) : (props.first.evaluators.find((f) => f.slug === e.slug)?.config ?? {}))),
    [draft, schemas],
  );
  useEffect(() => focusOn(form.current, refused?.path), [refused]);
  const save = async (how: Save) => {
    if (busy) return;
    setBusy(true);
    setRefused(undefined);
    setOvertaken(false);
    try {
      const href = await how.does(wish);
      drafts.delete(at);
      go(href);
    } catch (e) {
      setOvertaken(e instanceof Refusal && e.status === 412 && props.conflict !== undefined);
      const message = e instanceof Refusal && e.status === 412 ? t.changed : (e instanceof Error ? e.message : String(e)).replace("auto monitor setup", "monitor");
      // An evaluator on whose verdicts nothing can be done is chosen where that is.
      setRefused({ path: namedBy(message, pathsOf(draft))?.replace(/^(on_verdict.*)\.evaluator$/, "$1.action"), message: inForm(message, draft) });
      setBusy(false);
    }
  };
  const text = (path: string, label: string, hint: string, value: string, set: (v: string) => void) => (
    <Field path={path} label={label} hint={hint} refused={refused}>
      {(given) => <input {...given} inputMode="decimal" autocomplete="off" value={value} onInput={(e) => set(e.currentTarget.value)} />}
    </Field>
  );
  return (
    <div class="list wide">
      <Link href={props.back} class="back">
        ‹ {t.back}
      </Link>
      <h1>{props.title}</h1>
      {props.hint && <p class="hint">{props.hint}</p>}
      {props.left !== "" && <p class="note">{t.left(props.left)}</p>}
      <Sheet
        form={form}
        onSubmit={() => {
          if (props.saves[0]) void save(props.saves[0]);
        }}
        fields={
          <>
          {props.named && (
            <Field path="external_id" label={t.name} refused={refused}>
              {(given) => <input {...given} autocomplete="off" spellcheck={false} value={draft.name} onInput={(e) => change({ name: e.currentTarget.value })} />}
            </Field>
          )}
          <Rules rules={draft.rules} refused={refused} onChange={(rules) => change({ rules })} />
          <Problem of={evaluators} />
          <Picker list={evaluators.data ?? []} models={me.data?.models} draft={draft} refused={refused} onChange={(list) => change({ evaluators: list })} />
          {draft.evaluators.length > 0 && <Chosen draft={draft} schemas={schemas} refused={refused} onChange={(list) => change({ evaluators: list })} />}
          <fieldset>
            <legend>{t.bounds}</legend>
            <div class="fields">
              {text("max_cost_per_day", t.money, t.moneyHint, draft.money, (money) => change({ money }))}
              {text("deadline_sec", t.days, t.daysHint, draft.days, (days) => change({ days }))}
              {text("min_spans", t.spans, t.spansHint, draft.spans, (spans) => change({ spans }))}
            </div>
          </fieldset>
          {refused && refused.path === undefined && !overtaken && (
            <p class="problem" role="alert">
              {visible(refused.message)}
            </p>
          )}
          {overtaken && props.conflict && (
            <div class="notice" role="alert">
              <p>{t.changed}</p>
              <p class="actions">
                <button
                  type="button"
                  onClick={() => {
                    drafts.delete(at);
                    props.conflict?.theirs();
                  }}
                >
                  {t.takeTheirs}
                </button>
                <button type="button" onClick={() => props.conflict && void save(props.conflict.mine)}>
                  {t.keepMine}
                </button>
              </p>
            </div>
          )}
          <CannotRun environment={environment} draft={draft} schemas={schemas} />
          <p class="actions">
            {props.saves.map((s) => (
              <button key={s.label} type={s.primary ? "submit" : "button"} class={s.primary ? "primary" : undefined} aria-disabled={busy} onClick={s.primary ? undefined : () => void save(s)}>
                {busy && s.primary ? t.saving : s.label}
              </button>
            ))}
            <Link href={props.back} class="button">
              {t.cancel}
            </Link>
            <CopyText label={texts.copy.curl} text={() => props.curl(wish)} />
          </p>
        </>
        }
      >
        <PreviewOf environment={environment} wish={wish} draft={draft} />
      </Sheet>
    </div>
  );
}

/** A new monitor, begun with what the address says. */
export function New(props: { environment: string }) {
  const { environment } = props;
  const filters = filtersOf(place.value.params.filters) ?? [];
  const { left } = rulesOf(filters);
  const made = async (wish: Wish) => {
    const setup = await create(environment, wish);
    return { setup, href: link(["monitors", nameOf(setup)]) };
  };
  const judged = async (wish: Wish) => {
    const { setup, href } = await made(wish);
    await backfill(environment, nameOf(setup), Math.floor(Date.now() / 1000) - day, undefined);
    return href + (href.includes("?") ? "&" : "?") + "tab=backfill";
  };
  return (
    <Form
      environment={environment}
      title={t.add}
      at={`${environment} new ${place.value.params.filters ?? ""} ${place.value.params.ready ?? ""}`}
      first={begun()}
      named
      left={left.map((f) => visible(f.id)).join(", ")}
      back={link(["monitors"])}
      curl={createCurl}
      saves={[
        { label: t.create, primary: true, does: async (wish) => (await made(wish)).href },
        { label: t.createAndJudge, does: judged },
      ]}
    />
  );
}

/** A monitor that is there, to be changed. */
export function Edit(props: { environment: string; name: string }) {
  const { environment, name } = props;
  const read = useLoaded((signal) => readSetup(environment, name, signal), [environment, name]);
  const href = link(["monitors", name]);
  if (read.data === undefined) {
    return (
      <div class="list">
        <h1>{t.edit}</h1>
        <Problem of={read} />
      </div>
    );
  }
  const { setup, tag } = read.data;
  const changeOf = ({ external_id: _, ...change }: Wish) => change;
  const save = async (wish: Wish) => {
    await replace(environment, name, tag, changeOf(wish));
    return href;
  };
  const over = async (wish: Wish) => {
    const theirs = await readSetup(environment, name, new AbortController().signal);
    await replace(environment, name, theirs.tag, changeOf(wish));
    return href;
  };
  return (
    <Form
      key={tag}
      environment={environment}
      title={t.ofName(t.edit, visible(setup.external_id))}
      at={`${environment} ${setup.id} ${tag}`}
      first={draftOf(setup)}
      named={false}
      hint={t.startsOver}
      left=""
      back={href}
      curl={(wish) => replaceCurl(name, tag, changeOf(wish))}
      saves={[{ label: t.save, primary: true, does: save }]}
      conflict={{ theirs: read.again, mine: { label: t.keepMine, does: over } }}
    />
  );
}
