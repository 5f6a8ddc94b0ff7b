// SPDX-License-Identifier: Apache-2.0

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type ConversationKey, conversationKeys, type GroupKey, readGroups, type Said, type SpanGroup } from "../api/groups";
import type { Filter } from "../api/spans";
import { Facets } from "../filter/facets";
import { filtersParam } from "../filter/filter";
import { Filters, refusedAt } from "../filter/filters";
import { suggestOf } from "../filter/suggest";
import { boundsOf, periodOf } from "../period/period";
import { PeriodSelect } from "../period/select";
import { bind } from "../shell/keys";
import { Problem } from "../shell/problem";
import { zone, zoneName } from "../shell/settings";
import { Skeleton } from "../shell/skeleton";
import { Detail } from "../spans/detail";
import { Histogram } from "../spans/histogram";
import { Nothing } from "../spans/nothing";
import { SavedViews } from "../spans/saved";
import { type First, usePages } from "../spans/pages";
import { selectedParam, wanted } from "../spans/state";
import { Table } from "../table/table";
import { texts } from "../texts";
import { count, dollars, milliseconds, moment, momentOf, nanoseconds } from "../text/format";
import { beginning } from "../text/visible";
import { change, link, place } from "../url";
import { useLoaded } from "../use";
import { Tabs } from "./tabs";

const t = texts.explore;

/** The page that has all of a group. */
function pageOf(by: GroupKey, g: SpanGroup): string {
  const at = String(Math.floor(milliseconds(g.start_ns) / 1000));
  if (by === "trace_id") return link(["traces", g.key], { at });
  return link(["conversations", g.key], { by: by === "session_id" ? "" : by, from: at, to: String(Math.ceil(milliseconds(g.end_ns) / 1000) + 1) });
}

/** The span that is shown of a group: the one that answered, or else the first. */
const shownOf = (g: SpanGroup): Said | undefined => g.last ?? g.first;

function GroupRow(props: { of: SpanGroup; by: GroupKey; selected: boolean; onOpen: () => void }) {
  const { of: g, by } = props;
  const ms = milliseconds(g.latest_ns);
  return (
    <tr
      class={props.selected ? "selected" : undefined}
      aria-current={props.selected ? "true" : undefined}
      onClick={(e) => {
        if ((e.target instanceof Element && e.target.closest("button") !== null) || getSelection()?.isCollapsed === false) return;
        props.onOpen();
      }}
    >
      <th scope="row" class="time" title={moment(ms, zone.value)}>
        <button class="value open" onClick={props.onOpen}>
          <span class="unseen">{t.open(beginning(g.first?.text ?? "", 80) || beginning(g.key, 80), moment(ms, zone.value))}</span>
          <span aria-hidden="true">{momentOf(ms, zone.value, Date.now())}</span>
        </button>
      </th>
      <td class="exchange" dir="auto">
        <span>{beginning(g.first?.text ?? "", 200) || beginning(g.key, 80)}</span>
        <span class="answer">{beginning(g.last?.text ?? "", 200)}</span>
      </td>
      {by !== "trace_id" && <td class="less" data-name={t.key[by]}>{beginning(g.key, 40)}</td>}
      <td class="less" data-name={t.columns.model}>{beginning(g.models.join(", "), 40)}</td>
      <td class="number" data-name={t.columns.duration}>{nanoseconds(Number(g.duration_ns))}</td>
      <td class="number less" data-name={t.columns.calls}>{count(g.calls)}</td>
      <td class="number less" data-name={t.columns.spans}>{count(g.spans)}</td>
      <td class="number less" data-name={t.columns.tokens}>{count(g.total_tokens)}</td>
      <td class="number less" data-name={t.columns.cost}>{g.cost === 0 ? "–" : dollars(g.cost)}</td>
      <td class={g.errors > 0 ? "number against" : "number"} data-name={t.columns.errors}>{count(g.errors)}</td>
      <td class={g.failing > 0 ? "number against" : "number"} data-name={t.columns.failing}>{count(g.failing)}</td>
    </tr>
  );
}

/** Moves the focus among the rows by keys. */
function useWalk() {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const walk = (by: number) => {
      const rows = [...(box.current?.querySelectorAll<HTMLElement>(".open") ?? [])];
      const at = rows.findIndex((r) => r === document.activeElement);
      rows[Math.max(0, Math.min(rows.length - 1, at + by))]?.focus();
    };
    const unbind = [bind("j", () => walk(1)), bind("k", () => walk(-1)), bind("ArrowDown", () => walk(1)), bind("ArrowUp", () => walk(-1))];
    return () => unbind.forEach((u) => u());
  }, []);
  return box;
}

/** Traces or conversations of a period, each with its question and its answer, the latest first. */
function Groups(props: { environment: string; by: GroupKey }) {
  const { environment, by } = props;
  const { params } = place.value;
  const read = periodOf(params, "24h");
  const w = { ...wanted(params), period: read ?? "24h" };
  const isTraces = by === "trace_id";
  const [round, setRound] = useState(0);
  const first = useLoaded<First<SpanGroup>>(
    async (signal) => {
      const query = { ...boundsOf(w.period), filters: w.filters, by };
      return { page: await readGroups(environment, query, "", signal), next: (cursor, signal) => readGroups(environment, query, cursor, signal) };
    },
    [environment, by, params.t, params.from, params.to, params.filters, round],
  );
  const pages = usePages(first.data);
  const { rows } = pages;
  const box = useWalk();
  const sel = w.selected === undefined ? "" : selectedParam({ trace_id: w.selected.trace, span_id: w.selected.span });
  const isSelected = (g: SpanGroup) => sel !== "" && shownOf(g) !== undefined && selectedParam(shownOf(g)!) === sel;
  const selected = rows.find(isSelected);
  const open = (g: SpanGroup) => {
    const shown = shownOf(g);
    if (shown !== undefined) change({ sel: selectedParam(shown) }, sel === "" ? "push" : "replace");
  };
  const setFilters = (filters: readonly Filter[]) => change({ filters: filtersParam(filters) });
  const columns = t.columns;
  return (
    <div class="list">
      <div class="head">
        <h1>{t.lists[isTraces ? "traces" : "conversations"]}</h1>
        <Tabs period={w.period} filters={w.filters} />
        <PeriodSelect period={w.period} />
        <button class="icon" aria-label={texts.spans.refresh} title={texts.spans.refresh} onClick={() => setRound(round + 1)}>
          ⟳
        </button>
        {!isTraces && (
          <label class="inline">
            {t.by}{" "}
            <select value={by} onChange={(e) => change({ by: e.currentTarget.value === "session_id" ? "" : e.currentTarget.value })}>
              {conversationKeys.map((key) => (
                <option key={key} value={key}>
                  {t.key[key]}
                </option>
              ))}
            </select>
          </label>
        )}
        <SavedViews environment={environment} screen={isTraces ? "traces" : "conversations"} shown={() => place.value.params} />
      </div>
      <Filters filters={w.filters} onChange={setFilters} suggest={suggestOf(environment, w.period, w.filters)} refused={first.error?.message} />
      {w.broken.length > 0 && <p class="problem">{texts.spans.broken(w.broken)}</p>}
      {first.data !== undefined && <Facets environment={environment} period={w.period} filters={w.filters} round={round} onChange={setFilters} />}
      {first.data === undefined && first.error === undefined && <Skeleton rows={12} />}
      {rows.length > 0 && <Histogram environment={environment} wanted={w} round={round} />}
      {refusedAt(first.error?.message) < 0 && <Problem of={first} />}
      {first.data !== undefined && rows.length === 0 && !isTraces && <p class="hint">{t.without(t.key[by])}</p>}
      {first.data !== undefined && rows.length === 0 && isTraces && <Nothing environment={environment} wanted={w} onFirst={() => setRound((r) => r + 1)} />}
      {(rows.length > 0 || w.selected !== undefined) && (
        <div ref={box} class={(w.selected ? "pane open" : "pane") + (first.busy || first.error ? " stale" : "")}>
          {rows.length > 0 && (
            <div class="groups-of">
              <Table name={t.lists[isTraces ? "traces" : "conversations"]} opens texts={[columns.time(zoneName.value), columns.exchange, ...(isTraces ? [] : [t.key[by]]), columns.model]} numbers={[columns.duration, columns.calls, columns.spans, columns.tokens, columns.cost, columns.errors, columns.failing]}>
                {rows.map((g) => (
                  <GroupRow key={g.key} of={g} by={by} selected={isSelected(g)} onOpen={() => open(g)} />
                ))}
              </Table>
            </div>
          )}
          {w.selected && (
            <Detail environment={environment} trace={w.selected.trace} span={w.selected.span} tab={w.tab} changed={String(selected?.failing ?? "")}
              opens={isTraces || selected === undefined ? { text: texts.spans.openTrace, href: link(["traces", w.selected.trace], { span: w.selected.span }) } : { text: t.openConversation, href: pageOf(by, selected) }} />
          )}
        </div>
      )}
      <Problem of={pages} />
      {pages.more && (
        <button aria-busy={pages.busy} onClick={pages.load}>
          {t.more}
        </button>
      )}
    </div>
  );
}

/** Traces, each with its question and its answer. */
export const TracesScreen = (props: { environment: string }) => <Groups key="trace_id" {...props} by="trace_id" />;

/** Conversations: the spans of a session, of a conversation or of a user. */
export function ConversationsScreen(props: { environment: string }) {
  const by: ConversationKey = conversationKeys.find((k) => k === place.value.params.by) ?? "session_id";
  return <Groups key={by} {...props} by={by} />;
}
