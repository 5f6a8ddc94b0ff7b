// SPDX-License-Identifier: Apache-2.0

import { zone } from "../shell/settings";
import { texts } from "../texts";
import { moment } from "../text/format";
import { change } from "../url";
import { type Named, type Period, periods } from "./period";

const t = texts.period;

/** The periods that there are to choose from; the choice is in the URL. */
export function PeriodSelect(props: { period: Period }) {
  const { period } = props;
  return (
    <select
      aria-label={t.title}
      value={typeof period === "object" ? "" : period}
      onChange={(e) => change({ t: e.currentTarget.value, from: "", to: "" })}
    >
      {typeof period === "object" && (
        <option value="">{t.between(moment(period.from * 1000, zone.value).slice(0, 16), moment(period.to * 1000, zone.value).slice(0, 16))}</option>
      )}
      {(Object.keys(periods) as Named[]).map((p) => (
        <option key={p} value={p}>
          {t.last[p]}
        </option>
      ))}
    </select>
  );
}
