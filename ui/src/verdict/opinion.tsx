// SPDX-License-Identifier: Apache-2.0

// What people say of a result: that it is right, or that it is wrong.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { giveOpinion, peopleOf } from "../api/labels";
import type { Verdict } from "../api/verdicts";
import { Changes } from "../shell/changes";
import { keep, kept } from "../storage";
import { texts } from "../texts";
import { beginning, visible } from "../text/visible";
import "./verdict.css";

const t = texts.opinions;
const longest = { author: 200, comment: 10_000 }; // characters that the API takes

/** Whether people can say of a result that it is right: it says that the span passes or fails. */
export const isDebatable = (v: Verdict) => v.status === "done" && v.good !== null;

/** What people said of a result of a span, of which these are all. */
export const opinionsOf = (v: Verdict, all: readonly Verdict[]) => all.filter((o) => o.evaluator === peopleOf(v.evaluator));

const isRight = (v: Verdict, said: Verdict) => said.outputs.value === v.good;

/** What people said of a result. */
export function Opinions(props: { of: Verdict; said: readonly Verdict[] }) {
  return (
    <>
      {props.said.map((o) => (
        <p key={o.setup_id} class="hint">
          {t.said(beginning(String(o.outputs.author ?? ""), 60), isRight(props.of, o))} {o.outputs.comment !== undefined && visible(String(o.outputs.comment))}
        </p>
      ))}
    </>
  );
}

type Props = {
  environment: string;
  span: { trace_id: string; span_id: string };
  of: Verdict;
  said: readonly Verdict[];
  /** Called when an opinion was stored. */
  onSaid: () => void;
};

/** Takes what the reader says of a result: at once where it is known who that is, and then a comment. */
export function OwnOpinion(props: Props) {
  const { of: v } = props;
  const author = kept("reviewer").value;
  const [right, setRight] = useState<boolean>();
  const [typed, setTyped] = useState({ author: "", comment: "" });
  const [wrong, setWrong] = useState("");
  const name = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => name.current?.focus(), [right]);
  const own = props.said.find((o) => o.outputs.author === author);
  const store = async (says: boolean, comment: string, by: string) => {
    setWrong("");
    try {
      await giveOpinion(props.environment, props.span, { evaluator: v.evaluator, passes: says === v.good, author: by, comment });
      keep("reviewer", by);
      props.onSaid();
      return true;
    } catch (e) {
      setWrong(e instanceof Error ? e.message : String(e));
      return false;
    }
  };
  const say = (says: boolean) => {
    const same = own !== undefined && isRight(v, own) === says;
    setRight(says);
    setTyped({ author: "", comment: same ? String(own.outputs.comment ?? "") : "" });
    if (author !== "" && !same) void store(says, "", author);
  };
  const finish = async (says: boolean) => {
    if (await store(says, typed.comment.trim(), author || typed.author.trim())) setRight(undefined);
  };
  return (
    <Changes>
      <div class="opinion" role="group" aria-label={t.ask(beginning(v.evaluator, 60))}>
        {([true, false] as const).map((says) => (
          <button key={String(says)} data-says={says ? "right" : "wrong"} aria-pressed={own !== undefined && isRight(v, own) === says} onClick={() => say(says)}>
            {says ? t.right : t.wrong}
          </button>
        ))}
        {right !== undefined && (
          <form
            onSubmit={(e) => {
              e.preventDefault();
              void finish(right);
            }}
          >
            {author === "" && (
              <input ref={name} required maxLength={longest.author} aria-label={t.author} placeholder={t.author} value={typed.author}
                autocomplete="name" onInput={(e) => setTyped({ ...typed, author: e.currentTarget.value })} />
            )}
            <input dir="auto" maxLength={longest.comment} aria-label={t.comment} placeholder={t.comment} value={typed.comment} autocomplete="off" onInput={(e) => setTyped({ ...typed, comment: e.currentTarget.value })} />
            <button type="submit">{t.save}</button>
          </form>
        )}
        {wrong !== "" && (
          <p class="problem" role="alert">
            {visible(wrong)}
          </p>
        )}
      </div>
    </Changes>
  );
}
