// SPDX-License-Identifier: Apache-2.0

import { useEffect, useRef, useState } from "preact/hooks";
import { changeCustom, changeCustomCurl, createCustom, createCustomCurl, type CustomWish, readEvaluator } from "../api/evaluators";
import { Field, focusOn, type Refused } from "../form/fields";
import { namedBy } from "../form/typed";
import { CopyText } from "../shell/copy";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { texts } from "../texts";
import { visible } from "../text/visible";
import { go, link } from "../url";
import { useLoaded } from "../use";
import { type Draft, draftOf, emptyDraft, fieldsOf, nameOf, type Paths, pathsOfChange, pathsOfCreation, wishOf } from "./own";
import { FieldList, Messages } from "./schema";
import { Trial } from "./trial";

const t = texts.evaluators.own;

/** What was typed and not saved yet, in this tab, by where it is typed. */
const drafts = new Map<string, Draft>();

type Props = {
  environment: string;
  title: string;
  at: string;
  first: Draft;
  made: boolean;
  paths: Paths;
  back: string;
  /** What an evaluator comes to with what is saved already. */
  whole?: (wish: CustomWish) => CustomWish;
  curl: (wish: CustomWish) => string;
  save: (wish: CustomWish) => Promise<string>;
};

/** The form of a custom evaluator: its inputs, its outputs, and the messages to its judge. */
function Form(props: Props) {
  const { at, made, paths, whole = (wish) => wish } = props;
  const [draft, setDraft] = useState<Draft>(drafts.get(at) ?? props.first);
  const [refused, setRefused] = useState<Refused>();
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => focusOn(form.current, refused?.path), [refused]);
  const change = (part: Partial<Draft>) => {
    const now = { ...draft, ...part };
    drafts.set(at, now);
    setDraft(now);
  };
  const save = async () => {
    if (busy) return;
    setBusy(true);
    setRefused(undefined);
    try {
      const href = await props.save(wishOf(draft));
      drafts.delete(at);
      go(href);
    } catch (e) {
      const message = e instanceof Error ? e.message : String(e);
      setRefused({ path: namedBy(message, fieldsOf(draft, paths)), message });
      setBusy(false);
    }
  };
  const line = (path: string, label: string, hint: string, member: "name" | "slug" | "description" | "provider" | "model" | "temperature" | "longest") => (
    <Field path={path} label={label} hint={hint === "" ? undefined : hint} refused={refused} wide={member === "description"}>
      {(given) => <input {...given} autocomplete="off" spellcheck={member === "description"} value={draft[member]} onInput={(e) => change({ [member]: e.currentTarget.value })} />}
    </Field>
  );
  return (
    <div class="list wide">
      <Link href={props.back} class="back">
        ‹ {texts.evaluators.title}
      </Link>
      <h1>{props.title}</h1>
      <p class="hint">{made ? t.versionHint : t.hint}</p>
      <form
        ref={form}
        class="monitor-form own"
        onSubmit={(e) => {
          e.preventDefault();
          void save();
        }}
      >
        <div class="fields">
          {line("name", texts.monitors.name, "", "name")}
          {!made && line("slug", t.slug, t.slugHint, "slug")}
          {line("description", t.description, "", "description")}
        </div>
        <FieldList title={t.inputs} hint={t.inputsHint} path="input_schema" list={draft.inputs} refused={refused} onChange={(inputs) => change({ inputs })} />
        <Messages path={paths.messages} list={draft.messages} inputs={draft.inputs} refused={refused} onChange={(messages) => change({ messages })} />
        <FieldList title={t.outputs} hint={t.outputsHint} path="output_schema" passing list={draft.outputs} refused={refused} onChange={(outputs) => change({ outputs })} />
        <fieldset>
          <legend>{t.judge}</legend>
          <div class="fields">
            {line(paths.provider, t.provider, t.providerHint, "provider")}
            {line(paths.model, t.model, t.modelHint, "model")}
            {line(paths.temperature, t.temperature, made ? t.stays : t.byModel, "temperature")}
            {line(paths.longest, t.longest, made ? t.stays : t.byModel, "longest")}
          </div>
        </fieldset>
        <Trial environment={props.environment} draft={draft} paths={paths} wish={() => whole(wishOf(draft))} refused={refused} onRefused={setRefused} />
        {refused !== undefined && refused.path === undefined && (
          <p class="problem" role="alert">
            {visible(refused.message)}
          </p>
        )}
        <div class="head">
          <button type="submit" class="primary" aria-disabled={busy}>
            {busy ? texts.monitors.saving : made ? t.saveVersion : texts.monitors.create}
          </button>
          <Link href={props.back} class="button">
            {texts.monitors.cancel}
          </Link>
          <CopyText label={texts.copy.curl} text={() => props.curl(wishOf(draft))} />
        </div>
      </form>
    </div>
  );
}

/** A custom evaluator that is not there yet. */
export function New(props: { environment: string }) {
  const { environment } = props;
  const save = async (wish: CustomWish) => {
    const { slug, evaluator_id: id } = await createCustom(environment, wish);
    return link(["evaluators", nameOf({ slug, id })]);
  };
  return <Form environment={environment} title={t.add} at={environment} first={emptyDraft} made={false} paths={pathsOfCreation} back={link(["evaluators"])} curl={createCustomCurl} save={save} />;
}

/** A new version of a custom evaluator. */
export function Edit(props: { environment: string; slug: string }) {
  const { environment, slug } = props;
  const read = useLoaded((signal) => readEvaluator(environment, slug, signal), [environment, slug]);
  const href = link(["evaluators", slug]);
  if (read.data === undefined || read.data.source !== "custom") {
    return (
      <div class="list">
        <h1>{visible(slug)}</h1>
        {read.error?.status === 404 ? <p>{texts.monitors.noEvaluator}</p> : <Problem of={read} />}
        {read.data && <p>{t.notYours}</p>}
      </div>
    );
  }
  const save = async (wish: CustomWish) => {
    await changeCustom(environment, slug, wish);
    return href;
  };
  const { config } = read.data;
  return (
    <Form
      environment={environment} title={texts.monitors.ofName(texts.monitors.edit, visible(read.data.name))} at={`${environment} ${read.data.id} ${read.data.version}`} first={draftOf(read.data)} made
      paths={pathsOfChange} back={href} whole={(wish) => ({ ...config?.llm_config, ...wish })} curl={(wish) => changeCustomCurl(slug, wish)} save={save}
    />
  );
}
