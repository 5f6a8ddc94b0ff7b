// SPDX-License-Identifier: Apache-2.0

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Drawn, giveOpinion } from "../api/labels";
import { readSpan } from "../api/traces";
import { bind } from "../shell/keys";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { zone } from "../shell/settings";
import { Skeleton } from "../shell/skeleton";
import { textsOf } from "../span/save";
import { Talk } from "../span/talk";
import { kept } from "../storage";
import { texts } from "../texts";
import { milliseconds, moment } from "../text/format";
import { beginning, visible } from "../text/visible";
import { link } from "../url";
import { useLoaded } from "../use";
import { Badge } from "../verdict/badge";
import { isDebatable, opinionsOf } from "../verdict/opinion";

const t = texts.review;

/** One span to review. What the evaluator said is shown once the person has decided. onNext gets whether the evaluator was right, and nothing when the person skipped the span. */
export function Card(props: { environment: string; span: Drawn; evaluator: string; onNext: (right?: boolean) => void }) {
  const { environment, evaluator, onNext } = props;
  const loaded = useLoaded((signal) => readSpan(environment, props.span.trace_id, props.span.span_id, signal), []);
  const [passes, setPasses] = useState<boolean>();
  const [wrong, setWrong] = useState("");
  const [comment, setComment] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const author = kept("reviewer").value;
  const span = loaded.data;
  const verdict = span?.verdicts.find((v) => v.evaluator === evaluator && isDebatable(v));
  // Who has reviewed it before goes on, and so does everybody where there is no result by now.
  const isDone = span !== undefined && (verdict === undefined || opinionsOf(verdict, span.verdicts).some((o) => o.outputs.author === author));
  useEffect(() => {
    if (isDone) onNext();
  }, [isDone]);
  const store = async (says: boolean, why: string) => {
    try {
      await giveOpinion(environment, props.span, { evaluator, passes: says, author, comment: why });
      setWrong("");
      return true;
    } catch (e) {
      setWrong(e instanceof Error ? e.message : String(e));
      return false;
    }
  };
  const decide = async (says: boolean) => {
    if (await store(says, comment.trim())) setPasses(says);
  };
  const next = async () => {
    if (passes === undefined || (comment.trim() !== "" && !(await store(passes, comment.trim())))) return;
    onNext(passes === verdict?.good);
  };
  const now = useRef({ decide, onNext });
  now.current = { decide, onNext };
  const ready = span !== undefined && !isDone;
  useLayoutEffect(() => {
    if (!ready) return;
    const unbind = [bind("y", () => void now.current.decide(true)), bind("n", () => void now.current.decide(false)), bind("s", () => now.current.onNext())];
    return () => unbind.forEach((u) => u());
  }, [ready]);
  useLayoutEffect(() => field.current?.focus(), [passes]);
  if (span === undefined || isDone) return <>{loaded.error === undefined ? <Skeleton rows={8} /> : <Problem of={loaded} />}</>;
  const at = milliseconds(span.start_ns);
  return (
    <article class="panel" aria-label={t.span}>
      <p class="hint">
        {beginning(span.span_name, 80)} · {beginning(span.service_name, 60)} · {moment(at, zone.value).slice(0, 19)}
      </p>
      <Talk span={span} textOf={textsOf(environment, span)} />
      <form
        class="decision"
        onSubmit={(e) => {
          e.preventDefault();
          void next();
        }}
      >
        {([true, false] as const).map((says) => (
          <button key={String(says)} type="button" aria-pressed={passes === says} onClick={() => void decide(says)}>
            {says ? t.pass : t.fail} <kbd aria-hidden="true">{says ? "y" : "n"}</kbd>
          </button>
        ))}
        {passes === undefined && (
          <button type="button" class="quiet" onClick={() => onNext()}>
            {t.skip} <kbd aria-hidden="true">s</kbd>
          </button>
        )}
        {passes !== undefined && verdict !== undefined && (
          <>
            <p role="status">
              <b>{passes === verdict.good ? t.agrees : t.differs}</b> <Badge verdict={verdict} characters={200} />
            </p>
            <input ref={field} dir="auto" maxLength={10_000} aria-label={texts.opinions.comment} placeholder={texts.opinions.comment} value={comment} autocomplete="off" onInput={(e) => setComment(e.currentTarget.value)} />
            <button type="submit" class="primary">
              {t.next}
            </button>
            <Link href={link(["traces", span.trace_id], { span: span.span_id, at: String(Math.floor(at / 1000)), tab: "verdicts" })}>{texts.spans.openTrace}</Link>
          </>
        )}
        {wrong !== "" && (
          <p class="problem" role="alert">
            {visible(wrong)}
          </p>
        )}
      </form>
    </article>
  );
}
