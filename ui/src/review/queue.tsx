// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { drawSpans, peopleOf } from "../api/labels";
import { readEvaluator } from "../api/evaluators";
import { boundsOf } from "../period/period";
import { Problem } from "../shell/problem";
import { Skeleton } from "../shell/skeleton";
import { texts } from "../texts";
import { count } from "../text/format";
import { visible } from "../text/visible";
import { change } from "../url";
import { useLoaded } from "../use";
import { Reviewed } from "../verdict/reviewed";
import { Card } from "./card";
import { evaluatorOf, type Wanted } from "./state";

const t = texts.review;

/** The spans that were drawn, one at a time. */
export function Queue(props: { environment: string; wanted: Wanted }) {
  const { environment, wanted: w } = props;
  const evaluator = evaluatorOf(w.metric);
  const bounds = boundsOf(w.period);
  const [round, setRound] = useState(0);
  const [at, setAt] = useState(0);
  const [sums, setSums] = useState({ right: 0, wrong: 0 });
  const drawn = useLoaded((signal) => drawSpans(environment, { metric: w.metric, share: w.share, ...bounds, filters: w.filters, without: w.others ? "" : peopleOf(evaluator) }, signal), [environment, round]);
  const about = useLoaded((signal) => readEvaluator(environment, evaluator, signal), [environment, evaluator]);
  const all = drawn.data?.spans ?? [];
  const span = all[at];
  const reviewed = sums.right + sums.wrong;
  const again = () => {
    setAt(0);
    setRound(round + 1);
  };
  return (
    <section class="review" aria-label={visible(w.metric)}>
      <div class="head">
        <h2>{t.question(visible(evaluator))}</h2>
        <button onClick={() => change({ m: "" })}>{t.stop}</button>
      </div>
      {about.data && <p class="hint">{visible(about.data.description)}</p>}
      <Problem of={drawn} />
      {drawn.data === undefined && drawn.error === undefined && <Skeleton rows={8} />}
      {all.length > 0 && (
        <p class="progress">
          <progress max={all.length} value={at} aria-label={t.progress} />
          <span role="status">
            {t.place(count(Math.min(at + 1, all.length)), count(all.length))} {reviewed > 0 && t.sofar(count(reviewed), reviewed, count(sums.wrong))}
          </span>
        </p>
      )}
      {span !== undefined && (
        <Card key={span.trace_id + span.span_id} environment={environment} span={span} evaluator={evaluator}
          onNext={(right) => {
            if (right !== undefined) setSums((s) => ({ right: s.right + Number(right), wrong: s.wrong + Number(!right) }));
            setAt(at + 1);
          }} />
      )}
      {drawn.data !== undefined && span === undefined && (
        <>
          <p>{all.length === 0 ? t.noneDrawn : t.finished}</p>
          {drawn.data.next_cursor !== "" && <button onClick={again}>{t.more}</button>}
          <ul class="reviewed">
            <Reviewed environment={environment} evaluator={evaluator} from={bounds.from} changed={at} />
          </ul>
        </>
      )}
    </section>
  );
}
