// SPDX-License-Identifier: Apache-2.0

import { ofEvaluations } from "../api/figures";
import type { Setup } from "../api/monitors";
import { StackedBars } from "../chart/bars";
import { becameParts } from "../verdict/became";
import { Problem } from "../shell/problem";
import { texts } from "../texts";
import { useLoaded } from "../use";

const t = texts.monitors;
const hour = 3600;

/** The spans of the last 24 hours, hour by hour, by what became of the evaluations of a monitor. A bar leads to its spans. */
export function Hours(props: { environment: string; setup: Setup; changed: string }) {
  const { environment, setup } = props;
  const hours = useLoaded(
    (signal) => {
      const from = Math.floor(Date.now() / 1000 / hour) * hour - 23 * hour;
      return ofEvaluations(environment, { from, to: undefined, step: hour, by: ["status"], measures: ["spans"], setup: setup.id }, signal);
    },
    [environment, setup.id, props.changed],
  );
  return (
    <section>
      <h2>{t.byHour}</h2>
      <Problem of={hours} />
      {hours.data && <StackedBars name={t.byHour} times={hours.data.times} step={hour} parts={becameParts(hours.data, hour, setup.id)} />}
    </section>
  );
}
