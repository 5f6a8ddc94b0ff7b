// SPDX-License-Identifier: Apache-2.0

import { useEffect, useMemo, useState } from "preact/hooks";
import { type FullSpan, readSpan } from "../api/traces";
import type { Verdict } from "../api/verdicts";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { OneMessage } from "../span/message";
import { textsOf } from "../span/save";
import { messagesOfSpan } from "../span/talk";
import { texts } from "../texts";
import { count, nanoseconds } from "../text/format";
import { structure } from "../text/json";
import { exchangesOf, type Message } from "../text/messages";
import { beginning, visible } from "../text/visible";
import { Words } from "../text/words";
import { format, place } from "../url";
import { useLoaded } from "../use";
import { Badge } from "../verdict/badge";
import { byWeight } from "../verdict/kind";
import type { Model } from "./model";
import { differenceOf, transcriptOf, type Turn } from "./transcript";
import "./conversation.css";

const t = texts.trace;
const page = 20; // calls
const atOnce = 4; // requests
const maxDifference = 2000; // characters that are shown of each part of a difference

/** Reads spans, some at a time, and keeps those that were read before. */
async function readAll(environment: string, trace: string, ids: readonly string[], known: Map<string, FullSpan>, signal: AbortSignal): Promise<FullSpan[]> {
  const left = ids.filter((id) => !known.has(id));
  const work = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) known.set(id, await readSpan(environment, trace, id, signal));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return ids.flatMap((id) => known.get(id) ?? []);
}

const plain = (m: Message) => m.parts.map((p) => (p.kind === "text" ? p.text : "")).join("\n\n");

function Changed(props: { before: Message; after: Message }) {
  const d = useMemo(() => differenceOf(plain(props.before), plain(props.after)), [props.before, props.after]);
  const cut = (text: string, end = false) => visible(text.length <= maxDifference ? text : end ? "…" + text.slice(-maxDifference) : text.slice(0, maxDifference) + "…");
  return (
    <li class="message other">
      <p class="who">
        <span class="role">{visible(t.role(beginning(props.after.role, 40)))}</span> <span class="hint">{t.changed}</span>
      </p>
      <div class="words">
        <p>
          {cut(d.head, true)}
          {d.removed !== "" && (
            <del>
              <span class="unseen">{t.removed}: </span>
              {cut(d.removed)}
            </del>
          )}
          {d.added !== "" && (
            <ins>
              <span class="unseen">{t.added}: </span>
              {cut(d.added)}
            </ins>
          )}
          {cut(d.tail)}
        </p>
      </div>
    </li>
  );
}

type Answers = ReadonlyMap<string, Message>;

/** What was said in one call and not before. */
function Turns(props: { turns: readonly Turn[]; answered: Answers; span: FullSpan; environment: string }) {
  const textOf = textsOf(props.environment, props.span);
  const shownBelow = new Set(props.answered.values());
  const fresh = props.turns.filter((turn) => !(turn.kind === "new" && shownBelow.has(turn.message)));
  const isPlain = props.turns.length === 0;
  return (
    <ol class="talk">
      {fresh.map((turn, i) => {
        if (turn.kind === "changed") return <Changed key={i} before={turn.before} after={turn.after} />;
        if (turn.kind === "new") return <OneMessage key={i} of={{ message: turn.message, results: turn.message.calls.map((c) => props.answered.get(c.id)) }} textOf={textOf} />;
        return (
          <li key={i} class="repeated">
            <details>
              <summary>{t.unchanged(count(turn.messages.length), turn.messages.length)}</summary>
              <ol class="talk">
                {exchangesOf(turn.messages).map((x, j) => (
                  <OneMessage key={j} of={x} textOf={textOf} />
                ))}
              </ol>
            </details>
          </li>
        );
      })}
      {isPlain &&
        (["input", "output"] as const).map(
          (field) =>
            props.span[field] !== "" && (
              <li key={field} class="message other">
                <p class="who">
                  <span class="role">{t[field]}</span>
                </p>
                <Words text={props.span[field]} json={structure(props.span[field]) !== undefined} {...textOf(field)} />
              </li>
            ),
        )}
    </ol>
  );
}

/** For each call of a tool its answer, which a later call of a model is given; each answer is told once. */
function answersOf(turns: readonly (readonly Turn[])[]): Answers {
  const asked = new Set<string>();
  const answers = new Map<string, Message>();
  for (const list of turns) {
    for (const turn of list) {
      if (turn.kind !== "new") continue;
      const { message } = turn;
      if (message.answers !== "" && message.calls.length === 0 && asked.has(message.answers) && !answers.has(message.answers)) answers.set(message.answers, message);
      for (const call of message.calls) if (call.id !== "") asked.add(call.id);
    }
  }
  return answers;
}

/** Whether an evaluator had something to say of a span, or will have. */
const wasJudged = (v: Verdict) => v.status !== "skipped";

const spanLink = (id: string) => format({ path: place.value.path, params: { ...place.value.params, view: "", span: id } });

/** All calls of models of a trace as one conversation, the first ones first. */
export function Conversation(props: { environment: string; model: Model }) {
  const { trace } = props.model;
  const { columns, dictionaries } = trace;
  const calls = useMemo(() => columns.span_id.flatMap((_, i) => (dictionaries.type[columns.type[i] ?? -1] === "llm" ? [i] : [])), [trace]);
  const [most, setMost] = useState(page);
  const known = useMemo(() => new Map<string, FullSpan>(), [trace.trace_id]);
  const wanted = calls.slice(0, most).map((i) => columns.span_id[i] ?? "");
  const loaded = useLoaded((signal) => readAll(props.environment, trace.trace_id, wanted, known, signal), [props.environment, trace.trace_id, wanted.join()]);
  const [spans, setSpans] = useState<FullSpan[]>([]);
  useEffect(() => {
    if (loaded.data !== undefined) setSpans(loaded.data);
  }, [loaded.data]);
  const turns = useMemo(() => transcriptOf(spans.map(messagesOfSpan)), [spans]);
  const answered = useMemo(() => answersOf(turns), [turns]);
  if (calls.length === 0) return <p class="empty">{t.noCalls}</p>;
  return (
    <section class="conversation" aria-label={t.conversation} aria-busy={spans.length < wanted.length}>
      <Problem of={loaded} />
      {spans.map((span, n) => {
        const at = columns.span_id.indexOf(span.span_id);
        const tokens = columns.tokens[at];
        const facts = [
          dictionaries.model[columns.model[at] ?? -1] ?? "",
          nanoseconds(Number(span.duration_ns)),
          tokens == null ? "" : t.tokens(count(tokens)),
        ];
        return (
          <section key={span.span_id} aria-label={t.callOf(count(n + 1), beginning(span.span_name, 80))} class="callof">
            <p class="hint">
              <Link href={spanLink(span.span_id)} class="value">
                <b>{beginning(span.span_name, 80)}</b>
              </Link>{" "}
              · {facts.filter((f) => f !== "").map((f) => beginning(f, 60)).join(" · ")}
              {span.status_code === "STATUS_CODE_ERROR" && <span class="error"> ! {t.error}</span>}
            </p>
            <Turns turns={turns[n] ?? []} answered={answered} span={span} environment={props.environment} />
            {span.verdicts.some(wasJudged) && (
              <p class="judged">
                {byWeight(span.verdicts.filter(wasJudged)).map((v) => (
                  <Badge key={v.setup_id + v.evaluator} verdict={v} characters={40} short />
                ))}
              </p>
            )}
          </section>
        );
      })}
      {calls.length > most && spans.length === wanted.length && <button onClick={() => setMost(most + page)}>{t.moreCalls(count(Math.min(page, calls.length - most)))}</button>}
    </section>
  );
}
