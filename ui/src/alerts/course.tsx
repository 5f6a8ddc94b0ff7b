// SPDX-License-Identifier: Apache-2.0

import type { Condition } from "../api/alerts";
import { Lines } from "../chart/lines";
import { filtersParam, valueFilter } from "../filter/filter";
import { Problem } from "../shell/problem";
import { Skeleton } from "../shell/skeleton";
import { texts } from "../texts";
import { link } from "../url";
import { useLoaded, useSettled } from "../use";
import { hasCourse, readWatched, spansOf, type Watched } from "./read";
import { conditionText, groupText, isMean, thresholdText } from "./words";

const t = texts.alerts;

/** The last day of what an alert watches, with its threshold, and what would be beyond that now. */
export function Course(props: { environment: string; watched: Watched; condition: Condition }) {
  const { environment, condition } = props;
  const { metric, evaluator, output, setup_id, filters, q, group_by, window_sec } = props.watched;
  const w = useSettled({ metric, evaluator, output, setup_id, filters, q, group_by, window_sec });
  const known = hasCourse(w);
  const read = useLoaded((signal) => (known ? readWatched(environment, w, signal) : Promise.resolve(undefined)), [environment, JSON.stringify(w)]);
  if (!known) return <p class="hint">{t.noCourse}</p>;
  if (read.data === undefined) return read.error === undefined ? <Skeleton rows={4} /> : <Problem of={read} />;
  const { times, step, lines } = read.data;
  const bound = condition.above ?? condition.below;
  const isBeyond = (v: number) => (condition.above !== undefined ? v > condition.above : condition.below !== undefined && v < condition.below);
  const now = read.data.now.flatMap(({ keys, value }) => (value === null ? [] : [{ name: groupText({ keys }), value }]));
  const beyond = now.filter((g) => isBeyond(g.value));
  const show = (v: number) => thresholdText(w.metric, v);
  const said = (list: typeof now) => list.map((g) => t.at(g.name, show(g.value))).join(", ");
  const finding =
    now.length === 0 ? t.nothingNow : bound === undefined ? t.now(said(now)) : beyond.length === 0 ? t.noneBeyond(said(now), conditionText(w.metric, condition)) : t.beyond(said(beyond), conditionText(w.metric, condition)) + (isMean(w.metric) ? " " + t.evidence : "");
  return (
    <div class={read.busy || read.error ? "stale" : undefined}>
      <Lines
        name={t.metrics[w.metric]}
        finding={finding}
        times={times}
        step={step}
        open={[]}
        show={show}
        lines={[
          ...lines.map(({ keys, values, counts }) => ({
            name: groupText({ keys }), values, counts,
            href: (at: number) =>
              link(["spans"], {
                from: String(at), to: String(at + step),
                filters: filtersParam([...spansOf(w), ...keys.flatMap((k, i) => (["evaluator", "setup_id", "backend"].includes(w.group_by[i] ?? "") ? [] : [valueFilter(w.group_by[i] ?? "", k)]))]),
              }),
          })),
        ]}
        limit={bound}
      />
    </div>
  );
}
