// SPDX-License-Identifier: Apache-2.0

import "./chart.css";

/** A small row of bars; its text stands next to it or is its name. A step that is 0 has a flat bar, one of which nothing is known has none. */
export function Spark(props: { values: readonly (number | null)[]; name: string }) {
  const { values } = props;
  const most = Math.max(1, ...values.map((v) => v ?? 0));
  return (
    <svg class="spark" role="img" aria-label={props.name} viewBox={`0 0 ${Math.max(1, values.length) * 4} 20`} preserveAspectRatio="none">
      {values.map((v, i) => {
        if (v === null) return null; // nothing is known of it, which is not 0
        const height = v === 0 ? 1.25 : Math.max(2.5, (v / most) * 20);
        return <rect key={i} x={i * 4 + 0.5} y={20 - height} width={3} height={height} class={v === 0 ? "zero" : undefined} />;
      })}
    </svg>
  );
}
