// SPDX-License-Identifier: Apache-2.0

import { questionOf, readSpans, type SpanQuery } from "../api/spans";
import { zone } from "../shell/settings";
import { texts } from "../texts";
import { milliseconds, moment } from "../text/format";
import { beginning } from "../text/visible";
import { change } from "../url";
import { useLoaded } from "../use";

const t = texts.evaluators;
const day = 86_400;
const most = 20;

/** Offers the last calls of models to be judged; nothing where there is none. */
export function FromSpan(props: { environment: string }) {
  const recent = useLoaded(
    (signal) => {
      const query: SpanQuery = {
        from: Math.floor(Date.now() / 1000) - day, to: undefined, filters: [{ id: "span_type", operator: "equals", value: "llm" }], sort: "timestamp", order: "DESC", fields: [],
      };
      return readSpans(props.environment, query, "", signal, most);
    },
    [props.environment],
  );
  const rows = recent.data?.rows ?? [];
  if (rows.length === 0) return null;
  return (
    <label class="inline">
      {t.fromSpan}{" "}
      <select
        value=""
        onChange={(e) => {
          const row = rows.find((r) => r.span_id === e.currentTarget.value);
          if (row !== undefined) change({ trace: row.trace_id, span: row.span_id });
        }}
      >
        <option value="">{t.chooseSpan}</option>
        {rows.map((r) => (
          <option key={r.trace_id + r.span_id} value={r.span_id}>
            {[moment(milliseconds(r.start_ns), zone.value).slice(11, 19), beginning(r.name, 40), beginning(questionOf(r), 60)].filter((p) => p !== "").join(" · ")}
          </option>
        ))}
      </select>
    </label>
  );
}
