// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { ofMetrics } from "../api/figures";
import { filtersParam } from "../filter/filter";
import { Filters } from "../filter/filters";
import { suggestOf } from "../filter/suggest";
import { boundsOf } from "../period/period";
import { PeriodSelect } from "../period/select";
import { OnlyReads } from "../shell/changes";
import { Problem } from "../shell/problem";
import { mayChange } from "../session";
import { keep, kept } from "../storage";
import { texts } from "../texts";
import { count, percent } from "../text/format";
import { visible } from "../text/visible";
import { change, place } from "../url";
import { useLoaded } from "../use";
import { isOurs, mayFail } from "../verdicts/state";
import { Queue } from "./queue";
import { shares, type Wanted, wanted } from "./state";
import "./review.css";

const t = texts.review;

/** Asks what is reviewed, and by whom. */
function Start(props: { environment: string; wanted: Wanted }) {
  const { environment, wanted: w } = props;
  const bounds = boundsOf(w.period);
  const found = useLoaded(
    async (signal) => {
      const figures = await ofMetrics(environment, { ...bounds, filters: w.filters, by: ["evaluator", "output"], measures: ["count", "share_true", "against"], top: 50 }, signal);
      return figures.groups.filter((g) => isOurs(g.keys[0] ?? "") && mayFail(g.total));
    },
    [environment, JSON.stringify([w.period, w.filters])],
  );
  const [metric, setMetric] = useState(w.metric);
  const [author, setAuthor] = useState(kept("reviewer").value);
  const [share, setShare] = useState(w.share);
  const [others, setOthers] = useState(w.others);
  if (found.data === undefined) return <Problem of={found} />;
  if (found.data.length === 0) return <p>{t.nothing}</p>;
  const chosen = metric || (found.data[0]?.keys.join(".") ?? "");
  const start = () => {
    keep("reviewer", author.trim());
    change({ m: chosen, share: String(share), others: others ? "1" : "" });
  };
  return (
    <form
      class="review-start"
      onSubmit={(e) => {
        e.preventDefault();
        start();
      }}
    >
      <label>
        {t.result}
        <select value={chosen} onChange={(e) => setMetric(e.currentTarget.value)}>
          {found.data.map((g) => (
            <option key={g.keys.join(".")} value={g.keys.join(".")}>
              {t.option(visible(g.keys.join(" ")), count(g.total.against ?? 0), count(g.total.count ?? 0))}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t.passes}
        <select value={String(share)} onChange={(e) => setShare(Number(e.currentTarget.value))}>
          {shares.map((s) => (
            <option key={s} value={String(s)}>
              {s === 0 ? t.noPasses : percent(s)}
            </option>
          ))}
        </select>
      </label>
      <p class="hint">{t.drawHint}</p>
      <label class="check">
        <input type="checkbox" checked={others} onChange={(e) => setOthers(e.currentTarget.checked)} />
        {t.others}
      </label>
      <label>
        {texts.opinions.author}
        <input required maxLength={200} autocomplete="name" value={author} onInput={(e) => setAuthor(e.currentTarget.value)} />
      </label>
      <button type="submit" class="primary">
        {t.start}
      </button>
    </form>
  );
}

/** People say of one span after another whether it passes, before they see what an evaluator said. */
export function ReviewScreen(props: { environment: string }) {
  const w = wanted(place.value.params);
  const reviews = w.metric !== "" && kept("reviewer").value !== "";
  return (
    <div class="list">
      <div class="head">
        <h1>{t.title}</h1>
        {!reviews && <PeriodSelect period={w.period} />}
      </div>
      {w.broken.length > 0 && <p class="problem">{texts.spans.broken(w.broken)}</p>}
      {!mayChange.value && <OnlyReads />}
      {mayChange.value && !reviews && (
        <>
          <p>{t.about}</p>
          <Filters filters={w.filters} onChange={(filters) => change({ filters: filtersParam(filters) })} suggest={suggestOf(props.environment, w.period, w.filters)} />
        </>
      )}
      {mayChange.value && (reviews ? <Queue key={JSON.stringify(w)} environment={props.environment} wanted={w} /> : <Start environment={props.environment} wanted={w} />)}
    </div>
  );
}
