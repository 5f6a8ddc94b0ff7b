// SPDX-License-Identifier: Apache-2.0

import type { Filter } from "../api/spans";
import { Link } from "../shell/link";
import { texts } from "../texts";
import { count, number } from "../text/format";
import type { Course } from "./read";
import type { Wanted } from "./state";
import { Threshold } from "./threshold";

const t = texts.trends;

/** How often each value came, as bars that lead to the spans. */
export function Spread(props: { environment: string; wanted: Wanted; course: Course; id: string; href: (filters: Filter[]) => string }) {
  const { course, id } = props;
  const bins = course.figures.bins ?? [];
  const [least, greatest] = [bins[0]?.from ?? 0, bins.at(-1)?.to ?? 0];
  const rows: { name: string; n: number; filters: Filter[] }[] = [];
  if (course.kind === "number") {
    for (const [i, b] of bins.entries()) {
      const last = i === bins.length - 1;
      rows.push({
        name: b.from === b.to ? number(b.from) : `${number(b.from)} – ${number(b.to)}`,
        n: b.count,
        filters: [{ id, operator: "greater_than_or_equal", value: b.from }, { id, operator: last ? "less_than_or_equal" : "less_than", value: b.to }],
      });
    }
  } else if (course.kind === "boolean") {
    const all = course.figures.total.count ?? 0;
    const yes = Math.round((course.figures.total.share_true ?? 0) * all);
    rows.push({ name: "true", n: yes, filters: [{ id, operator: "equals", value: true }] }, { name: "false", n: all - yes, filters: [{ id, operator: "equals", value: false }] });
  }
  const most = Math.max(1, ...rows.map((r) => r.n));
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>{t.spread}</h2>
      <ul class="spread">
        {rows.map((r) => (
          <li key={r.name}>
            <Link href={props.href(r.filters)} class="value">
              {r.name}
            </Link>
            <svg class="share" aria-hidden="true" viewBox="0 0 100 1" preserveAspectRatio="none">
              <rect width={(r.n / most) * 100} height={1} />
            </svg>
            <span>{count(r.n)}</span>
          </li>
        ))}
      </ul>
      {course.kind === "number" && least < greatest && <Threshold environment={props.environment} wanted={props.wanted} id={id} least={least} most={greatest} href={props.href} />}
    </section>
  );
}
