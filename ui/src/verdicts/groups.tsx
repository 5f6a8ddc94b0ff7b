// SPDX-License-Identifier: Apache-2.0

import type { Group } from "../api/figures";
import type { Filter } from "../api/spans";
import { Link } from "../shell/link";
import { Table } from "../table/table";
import { texts } from "../texts";
import { count } from "../text/format";
import { beginning } from "../text/visible";
import { type Course, measureOf, showOf } from "./read";
import { few, filterOfGroup, type Wanted } from "./state";

const t = texts.trends;

/** Groups with the worst share first, where it is known which is good; those of few verdicts last, and not ranked. */
function ranked(course: Course, good: boolean | string | undefined): { groups: readonly Group[]; worstFirst: boolean } {
  const { groups } = course.figures;
  if (course.kind !== "boolean" || typeof good !== "boolean") return { groups, worstFirst: false };
  const enough = (g: Group) => (g.total.count ?? 0) >= few;
  const badness = (g: Group) => (good ? 1 - (g.total.share_true ?? 0) : (g.total.share_true ?? 0));
  const some = groups.filter(enough);
  return { groups: [...some.sort((a, b) => badness(b) - badness(a)), ...groups.filter((g) => !enough(g))], worstFirst: some.length > 1 };
}

/** The groups of a course: what each comes to, how that changed, and what it rests on. */
export function Groups(props: { course: Course; wanted: Wanted; good: boolean | string | undefined; href: (f: Filter | undefined) => string; id: string }) {
  const { course } = props;
  const measure = measureOf(course, props.wanted);
  const show = showOf(course, props.wanted);
  const { groups, worstFirst } = ranked(course, props.good);
  const all = course.figures.total.count ?? 0;
  const valueOf = (total: Readonly<Record<string, number | null>>, of: number) =>
    course.kind === "text" && !props.wanted.counts ? (of === 0 ? null : (total.count ?? 0) / of) : (total[measure] ?? null);
  const covered = course.groups.size > 0;
  return (
    <>
      {worstFirst && <p class="hint">{t.worstFirst}</p>}
      <Table
        name={t.groups}
        texts={[t.fields[course.by as keyof typeof t.fields] ?? beginning(course.by, 80)]}
        numbers={[t.value, t.changed, t.count, ...(covered ? [t.ofEvaluations, texts.monitors.owed, texts.monitors.failed, texts.monitors.skipped] : [])]}
      >
          {groups.map((g) => {
            const key = g.keys[0] ?? "";
            const n = g.total.count ?? 0;
            const value = valueOf(g.total, all);
            const past = course.before.groups.find((b) => b.keys[0] === key);
            const was = past === undefined || (past.total.count ?? 0) < few ? null : valueOf(past.total, course.before.total.count ?? 0);
            const c = course.groups.get(key);
            const of: Filter | undefined = course.by === "value" ? { id: props.id, operator: "equals", value: key } : filterOfGroup(course.by, key);
            return (
              <tr key={key}>
                <th scope="row">
                  <Link href={props.href(of)}>{key === "" ? t.without : beginning(key, 120)}</Link> {n < few && <span class="hint">{t.fewOf}</span>}
                </th>
                <td class="number" data-name={t.value}>{value === null ? "–" : show(value)}</td>
                <td class="number" data-name={t.changed}>
                  {value === null || was === null || n < few ? "–" : (value > was ? "▲ " : value < was ? "▼ " : "") + show(Math.abs(value - was))}
                </td>
                <td class="number" data-name={t.count}>{count(n)}</td>
                {covered && (
                  <>
                    <td class="number" data-name={t.ofEvaluations}>{count(c?.matched ?? 0)}</td>
                    <td class="number" data-name={texts.monitors.owed}>{count(c?.owed ?? 0)}</td>
                    <td class="number" data-name={texts.monitors.failed}>{count(c?.failed ?? 0)}</td>
                    <td class="number" data-name={texts.monitors.skipped}>{count(c?.skipped ?? 0)}</td>
                  </>
                )}
              </tr>
            );
          })}
      </Table>
      {course.figures.other && <p class="hint">{t.others(count(course.figures.group_count - course.figures.groups.length), count(course.figures.other.total.count ?? 0))}</p>}
    </>
  );
}
