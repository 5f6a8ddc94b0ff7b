// SPDX-License-Identifier: Apache-2.0

import { useLayoutEffect, useState } from "preact/hooks";
import { bind } from "../shell/keys";
import { zone, zoneName } from "../shell/settings";
import { texts } from "../texts";
import { change } from "../url";
import { boundsOf, fieldOf, moved, type Named, type Period, periodParams, periods, timeOf } from "./period";

const t = texts.period;
const own = "own";

/** Goes to the period before or after the one that is shown. */
function useNeighbours(period: Period) {
  const go = (by: -1 | 1) => change(periodParams(moved(period, by, Math.floor(Date.now() / 1000))));
  useLayoutEffect(() => {
    const unbind = [bind("[", () => go(-1)), bind("]", () => go(1))];
    return () => unbind.forEach((u) => u());
  }, [JSON.stringify(period)]);
}

/** The periods that there are to choose from, and one between any two times; the choice is in the URL. */
export function PeriodSelect(props: { period: Period }) {
  const { period } = props;
  useNeighbours(period);
  const choose = (value: string) => {
    if (value !== own) return change({ t: value, from: "", to: "" });
    const { from, to } = boundsOf(period);
    change(periodParams({ from, to: to ?? Math.floor(Date.now() / 1000) }));
  };
  return (
    <>
      <select aria-label={t.title} value={typeof period === "object" ? own : period} onChange={(e) => choose(e.currentTarget.value)}>
        {(Object.keys(periods) as Named[]).map((p) => (
          <option key={p} value={p}>
            {t.last[p]}
          </option>
        ))}
        <option value={own}>{t.own}</option>
      </select>
      {typeof period === "object" && (
        <span class="between">
          <Time label={t.from} at={period.from} onChange={(from) => from < period.to && change(periodParams({ from, to: period.to }))} />
          <span aria-hidden="true">–</span>
          <Time label={t.to} at={period.to} onChange={(to) => period.from < to && change(periodParams({ from: period.from, to }))} />
        </span>
      )}
    </>
  );
}

/** A time in the zone that is chosen. What is none is marked, and changes nothing. */
function Time(props: { label: string; at: number; onChange: (at: number) => void }) {
  const [wrong, setWrong] = useState(false);
  return (
    <input
      class="time"
      size={19}
      spellcheck={false}
      autocomplete="off"
      placeholder={t.form}
      aria-invalid={wrong}
      aria-label={`${props.label} (${zoneName.value})`}
      value={fieldOf(props.at, zone.value)}
      onChange={(e) => {
        const at = timeOf(e.currentTarget.value, zone.value);
        setWrong(at === undefined);
        if (at !== undefined) props.onChange(at);
      }}
    />
  );
}
