// SPDX-License-Identifier: Apache-2.0

import { texts } from "../texts";
import { count } from "../text/format";
import { reasonText } from "../verdict/badge";
import type { Coverage } from "./state";

const t = texts.trends;

/** On how many verdicts of how many matched spans the figures rest, and what became of the others. */
export function Rests(props: { coverage: Coverage }) {
  const { coverage: c } = props;
  if (c.matched === 0) return <p class="hint">{t.noneMatched}</p>;
  return (
    <p class="rests">
      {t.rests(count(c.done), count(c.matched))}
      {c.owed > 0 && <span> {t.owed(count(c.owed))}</span>}
      {c.failed > 0 && <span class="problem"> {t.failed(count(c.failed))}</span>}
      {c.reasons.map(([reason, n]) => (
        <span key={reason}> {t.skipped(count(n), reasonText(reason))}</span>
      ))}
    </p>
  );
}
