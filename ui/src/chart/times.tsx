// SPDX-License-Identifier: Apache-2.0

import { zone } from "../shell/settings";
import { label } from "./scale";

const wanted = 5;

/** Some times below a chart, from its first to its last step; a narrow window shows every other one. */
export function Times(props: { times: readonly number[]; step: number }) {
  const { times, step } = props;
  const last = times.length - 1;
  const places = last < wanted ? times.map((_, i) => i) : Array.from({ length: wanted }, (_, i) => Math.round((i * last) / (wanted - 1)));
  return (
    <p class="times" aria-hidden="true">
      {places.map((i) => (
        <span key={i}>{label(times[i] ?? 0, step, zone.value)}</span>
      ))}
    </p>
  );
}
