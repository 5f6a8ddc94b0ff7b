// SPDX-License-Identifier: Apache-2.0

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type EvaluatorSchema, execute, executeCurl, executeSpan, executeSpanCurl, readEvaluator, readSchema } from "../api/evaluators";
import { focusOn, type Refused, SchemaFields } from "../form/fields";
import { Sheet } from "../form/sheet";
import { memberPaths, namedBy, objectOf, type Typed, typedMembers } from "../form/typed";
import { Changes, OnlyReads } from "../shell/changes";
import { CopyText } from "../shell/copy";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { texts } from "../texts";
import { beginning, visible } from "../text/visible";
import { change, link, place } from "../url";
import { useLoaded } from "../use";
import { FromSpan } from "./recent";
import { Results } from "./results";
import { type Outcome, useRuns } from "./runs";

const t = texts.evaluators;

/** How many results stay on the page. */
const most = 20;

function Backends(props: { schema: EvaluatorSchema }) {
  return (
    <ul class="backends" aria-label={texts.monitors.backend}>
      {props.schema.backends.map((b) => (
        <li key={b.backend}>
          <b>{visible(b.backend)}</b> <span class="hint">{b.available ? (props.schema.auto === b.backend ? t.auto : t.available) : t.needs(visible(b.needs ?? ""))}</span>
        </li>
      ))}
    </ul>
  );
}

/** What an evaluator says of itself, of which the beginning is enough for most. */
function About(props: { text: string }) {
  const first = beginning(props.text, 240);
  if (props.text === "") return null;
  if (props.text.length <= 240) return <p class="about">{first}</p>;
  return (
    <details class="about">
      <summary>{first}</summary>
      {visible(props.text)}
    </details>
  );
}

/** One evaluator: its inputs to fill in, or a stored span to judge, and what each backend says. */
export function Try(props: { environment: string; slug: string }) {
  const { slug } = props;
  const loaded = useLoaded((signal) => readSchema(props.environment, slug, signal), [props.environment, slug]);
  const evaluator = useLoaded((signal) => readEvaluator(props.environment, slug, signal), [props.environment, slug]);
  return (
    <div class="list wide">
      <Link href={link(["evaluators"])} class="back">
        ‹ {t.title}
      </Link>
      <div class="head">
        <h1>{visible(slug)}</h1>
        {loaded.data && <span class="hint">{t.version(visible(loaded.data.version))}</span>}
        <Changes>
          <Link href={link(["monitors", "new"], { evaluator: slug })} class="button">
            {t.monitor}
          </Link>
        </Changes>
        <Link href={link(["verdicts"], { m: slug })} class="button">
          {texts.trends.title}
        </Link>
        {evaluator.data?.source === "custom" && (
          <Changes>
            <Link href={link(["evaluators", slug, "edit"])} class="button">
              {texts.monitors.edit}
            </Link>
          </Changes>
        )}
      </div>
      {evaluator.data && <About text={evaluator.data.description} />}
      {loaded.error?.status === 404 ? <p>{texts.monitors.noEvaluator}</p> : <Problem of={loaded} />}
      {loaded.data && <Form environment={props.environment} schema={loaded.data} />}
    </div>
  );
}

function Form(props: { environment: string; schema: EvaluatorSchema }) {
  const { environment, schema } = props;
  const { trace, span } = place.value.params;
  const ofSpan = trace !== undefined && span !== undefined && trace !== "" && span !== "";
  const [input, setInput] = useState<Typed>({});
  const [config, setConfig] = useState<Typed>({});
  const [backend, setBackend] = useState("");
  const [refused, setRefused] = useState<Refused>();
  const runs = useRuns(most);
  const wantedExample = place.value.params.example ?? "";
  const example = wantedExample === "" ? undefined : schema.examples[Number(wantedExample)];
  useLayoutEffect(() => {
    if (example === undefined) return;
    setInput(typedMembers(example.input));
    setConfig(typedMembers(example.config ?? {}));
  }, [wantedExample]);
  // What is typed is no longer the example of the address.
  const typed = (set: (typed: Typed) => void) => (what: Typed) => {
    set(what);
    if (wantedExample !== "") change({ example: "" }, "replace");
  };
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => focusOn(form.current, refused?.path), [refused]);
  const able = schema.backends.filter((b) => b.available).map((b) => b.backend);

  const askedOf = (on: string) => ({ ...objectOf(schema.config, config), ...(on === "" ? {} : { backend: on }) });
  const curl = () => {
    const asked = askedOf(backend === "all" ? "" : backend);
    return ofSpan ? executeSpanCurl(schema.slug, { trace_id: trace, span_id: span, config: asked }) : executeCurl(schema.slug, objectOf(schema.input, input), asked);
  };

  const ask = async (on: string, signal: AbortSignal): Promise<Outcome> => {
    const asked = askedOf(on);
    if (!ofSpan) return { done: await execute(environment, schema.slug, objectOf(schema.input, input), asked, signal) };
    const made = await executeSpan(environment, schema.slug, { trace_id: trace, span_id: span, config: asked }, signal);
    return {
      done: { outputs: made.result ?? {}, good: made.good, backend: made.backend, duration: made.duration_ms, tokens: made.usage.prompt_tokens + made.usage.completion_tokens, cost: made.usage.cost_usd },
      inputs: made.inputs, missing: made.missing, reason: made.reason,
    };
  };
  const runOn = async (on: string, run: number) => {
    const message = await runs.begin(run, on, (signal) => ask(on, signal));
    if (message === undefined) return;
    const path = namedBy(message, [...memberPaths("input", schema.input), ...memberPaths("config", schema.config)]);
    if (path !== undefined) setRefused({ path, message });
  };
  const run = () => {
    setRefused(undefined);
    const run = runs.next();
    for (const on of backend === "all" ? able : [backend]) void runOn(on, run);
  };
  return (
    <Sheet
        form={form}
        onSubmit={run}
        fields={
          <>
        {ofSpan ? (
          <p class="note">
            {t.ofSpan} <Link href={link(["traces", trace], { span })}>{visible(span)}</Link>.{" "}
            <Link href={link(["evaluators", schema.slug])}>{t.onTexts}</Link>
          </p>
        ) : (
          <>
            <div class="head">
              {schema.examples.length > 0 && (
                <label class="inline">
                  {t.example}{" "}
                  <select
                    value={example === undefined ? "" : wantedExample}
                    onChange={(e) => change({ example: e.currentTarget.value })}
                  >
                    <option value="">{t.choose}</option>
                    {schema.examples.map((x, i) => (
                      <option key={i} value={i}>
                        {visible(x.about)}
                      </option>
                    ))}
                  </select>
                </label>
              )}
              <FromSpan environment={environment} />
            </div>
            <div class="fields">
              <SchemaFields schema={schema.input} path="input" typed={input} refused={refused} long onChange={typed(setInput)} />
            </div>
          </>
        )}
        {Object.keys(schema.config.properties ?? {}).length > 0 && (
          <fieldset>
            <legend>{t.settings}</legend>
            <div class="fields">
              <SchemaFields schema={schema.config} path="config" typed={config} refused={refused} onChange={typed(setConfig)} />
            </div>
          </fieldset>
        )}
        <div class="head">
          <label class="inline">
            {texts.monitors.backend}{" "}
            <select value={backend} onChange={(e) => setBackend(e.currentTarget.value)}>
              <option value="">{texts.monitors.auto}</option>
              {able.map((b) => (
                <option key={b} value={b}>
                  {b}
                </option>
              ))}
              {able.length > 1 && <option value="all">{t.compare}</option>}
            </select>
          </label>
          <Changes>
            <button type="submit" class="primary">
              {t.run}
            </button>
          </Changes>
          <CopyText label={texts.copy.curl} text={curl} />
        </div>
        <OnlyReads />
        <p class="hint">{t.storesNothing}</p>
      </>
        }
      >
      <aside class="preview" aria-label={t.results}>
        <h2>{t.results}</h2>
        <Backends schema={schema} />
        <div aria-live="polite">
          <Results list={runs.list} />
        </div>
      </aside>
    </Sheet>
  );
}
