// SPDX-License-Identifier: Apache-2.0

import { type ConversationKey, conversationKeys, readGroups } from "../api/groups";
import { type Filter, readSpans } from "../api/spans";
import type { FullSpan } from "../api/traces";
import { Back } from "../explore/back";
import { boundsOf, periodOf } from "../period/period";
import { PeriodSelect } from "../period/select";
import { Problem } from "../shell/problem";
import { Skeleton } from "../shell/skeleton";
import { texts } from "../texts";
import { count, dollars, milliseconds, nanoseconds } from "../text/format";
import { beginning } from "../text/visible";
import { link, place } from "../url";
import { useLoaded } from "../use";
import { Conversation } from "./conversation";

const t = texts.explore;
const most = 1000; // calls

const inTrace = (s: FullSpan) => link(["traces", s.trace_id], { span: s.span_id, at: String(Math.floor(milliseconds(s.start_ns) / 1000)) });

/** The calls of models of a session, a conversation or a user, over all traces of a period. */
export function ConversationScreen(props: { environment: string }) {
  const { environment } = props;
  const { path, params } = place.value;
  const name = path[1] ?? "";
  const by: ConversationKey = conversationKeys.find((k) => k === params.by) ?? "session_id";
  const period = periodOf(params, "30d") ?? "30d";
  const loaded = useLoaded(
    async (signal) => {
      const own: Filter = { id: by, operator: "equals", value: name };
      const query = { ...boundsOf(period), filters: [own, { id: "span_type", operator: "equals", value: "llm" } as const], sort: "timestamp", order: "ASC", fields: [] } as const;
      const [calls, groups] = await Promise.all([
        readSpans(environment, query, "", signal, most, false), readGroups(environment, { ...boundsOf(period), filters: [own], by }, "", signal),
      ]);
      return { calls: calls.rows, more: calls.next_cursor !== "", sums: groups.rows[0] };
    },
    [environment, name, by, JSON.stringify(period)],
  );
  const { calls = [], sums, more } = loaded.data ?? {};
  return (
    <div class="list wide">
      <div class="head">
        <Back />
        <h1>{t.of(t.key[by], beginning(name, 120))}</h1>
        <PeriodSelect period={period} />
        {sums && (
          <ul class="sums">
            <li>{t.calls(count(sums.calls), sums.calls)}</li>
            <li>{texts.trace.spans(count(sums.spans), sums.spans)}</li>
            <li>{nanoseconds(Number(sums.duration_ns))}</li>
            <li>{texts.trace.tokens(count(sums.total_tokens))}</li>
            {sums.cost > 0 && <li>{dollars(sums.cost)}</li>}
            {sums.failing > 0 && <li class="error">{texts.spans.against(count(sums.failing))}</li>}
          </ul>
        )}
      </div>
      <Problem of={loaded} />
      {loaded.data === undefined && loaded.error === undefined && <Skeleton rows={12} />}
      {more && <p class="hint">{t.firstCalls(count(most))}</p>}
      {loaded.data !== undefined && <Conversation key={name} environment={environment} calls={calls} href={inTrace} />}
    </div>
  );
}
