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
import { useLoaded } from "../use";
import { Badge } from "../verdict/badge";
import { byWeight } from "../verdict/kind";
import { differenceOf, transcriptOf, type Turn } from "./transcript";
import "./conversation.css";

const t = texts.trace;
const page = 20; // calls
const atOnce = 4; // requests
const maxDifference = 2000; // characters that are shown of each part of a difference

/** A call of a model, by its ids. */
export type Call = { trace_id: string; span_id: string };

const keyOf = (c: Call) => c.trace_id + c.span_id;

/** Reads spans, some at a time, and keeps those that were read before. */
async function readAll(environment: string, calls: readonly Call[], known: Map<string, FullSpan>, signal: AbortSignal): Promise<FullSpan[]> {
  const left = calls.filter((c) => !known.has(keyOf(c)));
  const work = async () => {
    for (let c = left.shift(); c !== undefined; c = left.shift()) known.set(keyOf(c), await readSpan(environment, c.trace_id, c.span_id, signal));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return calls.flatMap((c) => known.get(keyOf(c)) ?? []);
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

/** For each call of a tool its answer, as a later call of a model repeats it; each answer appears once. */
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

/** What a call says of itself. */
function factsOf(span: FullSpan): string[] {
  const a = span.span_attributes;
  const tokens = Number(a["llm.usage.total_tokens"] ?? NaN);
  return [a["llm.response.model"] ?? a["llm.request.model"] ?? "", nanoseconds(Number(span.duration_ns)), Number.isFinite(tokens) ? t.tokens(count(tokens)) : ""];
}

/** Calls of models as one conversation, the first ones first. href leads to a call. */
export function Conversation(props: { environment: string; calls: readonly Call[]; href: (span: FullSpan) => string }) {
  const { calls } = props;
  const [most, setMost] = useState(page);
  const known = useMemo(() => new Map<string, FullSpan>(), []);
  const wanted = calls.slice(0, most);
  const loaded = useLoaded((signal) => readAll(props.environment, wanted, known, signal), [props.environment, wanted.map(keyOf).join()]);
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
      {spans.map((span, n) => (
        <section key={keyOf(span)} aria-label={t.callOf(count(n + 1), beginning(span.span_name, 80))} class="callof">
          <p class="hint">
            <Link href={props.href(span)} class="value">
              <b>{beginning(span.span_name, 80)}</b>
            </Link>{" "}
            · {factsOf(span).filter((f) => f !== "").map((f) => beginning(f, 60)).join(" · ")}
            {span.status_code === "STATUS_CODE_ERROR" && <span class="error"> ! {t.error}</span>}
          </p>
          <Turns turns={turns[n] ?? []} answered={answered} span={span} environment={props.environment} />
          {span.verdicts.some(wasJudged) && (
            <p class="judged">
              {byWeight(span.verdicts.filter(wasJudged)).map((v) => (
                <Badge key={v.setup_id + v.evaluator} verdict={v} characters={100} />
              ))}
            </p>
          )}
        </section>
      ))}
      {calls.length > most && spans.length === wanted.length && <button onClick={() => setMost(most + page)}>{t.moreCalls(count(Math.min(page, calls.length - most)))}</button>}
    </section>
  );
}
