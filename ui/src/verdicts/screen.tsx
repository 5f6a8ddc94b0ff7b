// SPDX-License-Identifier: Apache-2.0

import { filtersParam } from "../filter/filter";
import { Filters } from "../filter/filters";
import { suggestOf } from "../filter/suggest";
import { PeriodSelect } from "../period/select";
import { texts } from "../texts";
import { change, place } from "../url";
import { All } from "./all";
import { One } from "./one";
import { wanted } from "./state";
import "./verdicts.css";

const t = texts.trends;

/** Verdicts over time: all outputs of all evaluators in small, or one of them. */
export function VerdictsScreen(props: { environment: string }) {
  const w = wanted(place.value.params);
  return (
    <div class="list wide">
      <div class="head">
        <h1>{t.title}</h1>
        <PeriodSelect period={w.period} />
      </div>
      <Filters filters={w.filters} onChange={(filters) => change({ filters: filtersParam(filters) })} suggest={suggestOf(props.environment, w.period, w.filters)} />
      {w.broken.length > 0 && <p class="problem">{texts.spans.broken(w.broken)}</p>}
      {w.output === "" ? <All environment={props.environment} wanted={w} /> : <One environment={props.environment} wanted={w} />}
    </div>
  );
}
