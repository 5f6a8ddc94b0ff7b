// SPDX-License-Identifier: Apache-2.0

import type { Filter } from "../api/spans";
import { Link } from "../shell/link";
import { texts } from "../texts";
import { count } from "../text/format";
import { reasonText } from "../verdict/badge";
import type { Coverage } from "./state";

const t = texts.trends;

/** On how many verdicts of how many matched spans the figures rest, and what became of the others. */
export function Rests(props: { coverage: Coverage; evaluator: string; href: (filters: Filter[]) => string }) {
  const { coverage: c } = props;
  const id = (member: string) => `touchstone.evaluation.${props.evaluator}.${member}`;
  const to = (member: string, value: string) => props.href([{ id: id(member), operator: "equals", value }]);
  if (c.matched === 0) return <p class="hint">{t.noneMatched}</p>;
  return (
    <p class="rests">
      {t.restsOn} <Link href={to("status", "done")}>{t.rests(count(c.done), c.done)}</Link>.{" "}
      <Link href={props.href([{ id: id("status"), operator: "exists" }])}>{t.restsOf(count(c.matched), c.matched)}</Link>
      {c.uncertain > 0 && (
        <>
          {"; "}
          <Link href={to("status", "uncertain")}>{t.uncertain(count(c.uncertain))}</Link>
        </>
      )}
      {c.owed > 0 && (
        <>
          {"; "}
          <Link href={to("status", "deferred")}>{t.owed(count(c.owed))}</Link>
        </>
      )}
      {c.failed > 0 && (
        <>
          {"; "}
          <Link href={to("status", "failed")}>{t.failed(count(c.failed))}</Link>
        </>
      )}
      {c.reasons.map(([reason, n]) => (
        <span key={reason}>
          {"; "}
          <Link href={to("reason", reason)}>{t.skipped(count(n), n, reasonText(reason))}</Link>
        </span>
      ))}
      .
    </p>
  );
}
