// SPDX-License-Identifier: Apache-2.0

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Filter, readSpans, type Row, type RowPage, searchCurl, type Sort, type SpanQuery } from "../api/spans";
import { Tabs } from "../explore/tabs";
import { Facets } from "../filter/facets";
import { filtersParam } from "../filter/filter";
import { Filters, refusedAt } from "../filter/filters";
import { suggestOf } from "../filter/suggest";
import { boundsOf } from "../period/period";
import { absoluteLink } from "../period/link";
import { PeriodSelect } from "../period/select";
import { Changes } from "../shell/changes";
import { bind } from "../shell/keys";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { Slowly } from "../shell/slowly";
import { Skeleton } from "../shell/skeleton";
import type { Tab } from "../span/tab";
import { keep, kept } from "../storage";
import { texts } from "../texts";
import { count } from "../text/format";
import { change, format, link, place } from "../url";
import { useLoaded } from "../use";
import { Histogram } from "./histogram";
import { Detail } from "./detail";
import { SavedViews } from "./saved";
import { ExportMenu } from "./saving";
import { Nothing } from "./nothing";
import { inOrder, type Live, mostRows, useLive } from "./live";
import { type First, usePages } from "./pages";
import { columnsParam, selectedParam, type Wanted, wanted } from "./state";
import type { Sorting } from "./heads";
import { modelFields, SpanTable, traceOf } from "./table";
import { ColumnsMenu, Sharing } from "./tools";

const t = texts.spans;

/** The chosen span next to the list. row is that of the list, if it is there. */
function Opened(props: { environment: string; trace: string; span: string; row: Row | undefined; tab: Tab }) {
  const { trace, span, row } = props;
  const changed = row?.verdicts.map((v) => v.status + v.evaluator).join() ?? "";
  return <Detail {...props} opens={{ text: t.openTrace, href: row === undefined ? link(["traces", trace], { span }) : traceOf(row) }} changed={changed} />;
}

function queryOf(w: Wanted): SpanQuery {
  const { period, filters, sort, order, columns } = w;
  const rest = { filters, sort, order, fields: [...new Set([...modelFields, ...columns])] };
  return { ...boundsOf(period), ...rest };
}

/** Whether a filter gives way to a newer one: one of the same field, but both may say what a value is not. */
const gives = (older: Filter, newer: Filter) => older.id === newer.id && !(older.operator === "not_equals" && newer.operator === "not_equals" && older.value !== newer.value);

const fromTop = 200; // pixels that one may be from the top of the page while new spans are shown

/** Whether a user has scrolled down. */
function useScrolled(): boolean {
  const [away, setAway] = useState(false);
  useEffect(() => {
    const look = () => setAway(window.scrollY > fromTop);
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, []);
  return away;
}

const following = 3000; // milliseconds after which the chart of the live view is read again

/** Counts up while it is on and the page is seen. */
function useBeat(on: boolean): number {
  const [beat, setBeat] = useState(0);
  useEffect(() => {
    if (!on) return;
    const timer = setInterval(() => document.hidden || setBeat((b) => b + 1), following);
    return () => clearInterval(timer);
  }, [on]);
  return beat;
}

/** Switches the live view on and off. It is of what is new: by time, until now. */
function LiveButton(props: { live: boolean }) {
  const { live } = props;
  const toggle = () => change(live ? { live: "" } : { live: "1", from: "", to: "", sort: "", order: "" });
  useLayoutEffect(() => bind("l", toggle), [live]);
  return (
    <button aria-pressed={live} class="live" onClick={toggle}>
      <span aria-hidden="true">●</span> {t.live}
    </button>
  );
}

/** What the live view does just now. */
function LiveBar(props: { live: Live; still: boolean }) {
  const { live, still } = props;
  const waiting = live.waiting.length;
  const showThem = () => {
    change({ sel: "", tab: "" }, "replace");
    window.scrollTo(0, 0);
    live.show();
  };
  return (
    <div class="livebar" role="group" aria-label={t.live}>
      <p class="hint">{live.error !== "" ? t.liveError(live.error) : still ? t.paused : t.following}</p>
      {waiting > 0 && <button onClick={showThem}>{t.waiting(count(waiting), waiting)}</button>}
      {live.sampled && <p class="hint">{t.sampled}</p>}
    </div>
  );
}

/** The spans of a period that match, newest first. The URL says all of it. */
export function SpansScreen(props: { environment: string }) {
  const { params } = place.value;
  const w = wanted(params, kept("columns").value);
  const [round, setRound] = useState(0);
  const first = useLoaded<First<Row> & { query: SpanQuery; page: RowPage }>(
    async (signal) => {
      const query = queryOf(w);
      return { query, page: await readSpans(props.environment, query, "", signal), next: (cursor, signal) => readSpans(props.environment, query, cursor, signal) };
    },
    [props.environment, params.t, params.from, params.to, params.filters, params.sort, params.order, JSON.stringify(w.columns), round],
  );
  const shown = first.data;
  const pages = usePages(shown);
  const away = useScrolled();
  const live = useLive(props.environment, shown?.query, w.live, away || w.selected !== undefined, pages.rows);
  const rows = useMemo(
    () => (w.live ? inOrder(live.rows, pages.rows).map((row) => live.newer.get(selectedParam(row)) ?? row) : pages.rows),
    [w.live, live.rows, live.newer, pages.rows],
  );
  // While new spans arrive the chart and its counts follow, and say how many there are.
  const [counted, setCounted] = useState<number>();
  const beat = useBeat(w.live);
  useEffect(() => setCounted(undefined), [w.live, params.filters, params.t, params.from, params.to]);
  // Where some were left out, the list is read again when fewer arrive.
  const left = useRef(false);
  useEffect(() => {
    if (left.current && !live.sampled) setRound((r) => r + 1);
    left.current = live.sampled;
  }, [live.sampled]);
  // Of a search that ended at a bound the total is that of what it looked at.
  const total = w.live && counted !== undefined ? Math.max(counted, rows.length) : Math.max(shown?.page.total_results ?? 0, pages.rows.length) + (w.live ? live.rows.length : 0);
  const least = shown?.page.partial === true && pages.more;
  const setFilters = (filters: readonly Filter[]) => change({ filters: filtersParam(filters) });
  const only = (f: Filter) =>
    format({ path: ["spans"], params: { ...params, filters: filtersParam([...w.filters.filter((other) => !gives(other, f)), f]) } });
  const sorting: Sorting = {
    by: w.sort,
    order: w.order,
    href: (by: Sort) =>
      format({ path: ["spans"], params: { ...params, sort: by === "timestamp" ? "" : by, order: by === w.sort && w.order === "DESC" ? "ASC" : "" } }),
  };
  const select = (row: Row) => change({ sel: selectedParam(row) }, w.selected === undefined ? "push" : "replace");
  const selected = w.selected;
  const sel = selected === undefined ? "" : selectedParam({ trace_id: selected.trace, span_id: selected.span });
  const setColumns = (columns: readonly string[]) => {
    keep("columns", columnsParam(columns));
    change({ cols: columnsParam(columns) });
  };
  const shownNow = () => ({ ...params, cols: columnsParam(w.columns) });

  return (
    <div class="list">
      <div class="head">
        <h1>{t.title}</h1>
        <Tabs period={w.period} filters={w.filters} />
        <PeriodSelect period={w.period} />
        <button class="icon" aria-label={t.refresh} title={t.refresh} onClick={() => setRound(round + 1)}>
          ⟳
        </button>
        <LiveButton live={w.live} />
        <SavedViews environment={props.environment} screen="spans" shown={shownNow} />
        <Slowly text={shown === undefined ? "" : t.found(least ? t.atLeast(count(total)) : count(total), total)} often={w.live} />
      </div>
      <Filters filters={w.filters} onChange={setFilters} suggest={suggestOf(props.environment, w.period, w.filters)} refused={first.error?.message} />
      {w.filters.length > 0 && (
        <Changes>
          <Link href={link(["monitors", "new"], { filters: filtersParam(w.filters) })} class="more">
            {t.monitor}
          </Link>
        </Changes>
      )}
      {w.broken.length > 0 && <p class="problem">{t.broken(w.broken)}</p>}
      {shown !== undefined && <Facets environment={props.environment} period={w.period} filters={w.filters} round={round} onChange={setFilters} />}
      {shown === undefined && first.error === undefined && <Skeleton rows={12} />}
      {rows.length > 0 && <Histogram environment={props.environment} wanted={w} round={round + beat} onCount={setCounted} />}
      {refusedAt(first.error?.message) < 0 && <Problem of={first} />}
      {w.live && <LiveBar live={live} still={away || w.selected !== undefined} />}
      {shown && rows.length === 0 && !w.live && <Nothing environment={props.environment} wanted={w} onFirst={() => setRound((r) => r + 1)} />}
      {shown && rows.length === 0 && w.live && <p class="empty">{t.awaited}</p>}
      {shown && rows.length > 0 && (
        <div class="table-tools" role="group" aria-label={t.tools}>
          <Sharing link={() => absoluteLink("1h", { live: "", cols: columnsParam(w.columns) })} curl={() => searchCurl(shown.query)} />
          <ExportMenu key={JSON.stringify(shown.query.filters)} environment={props.environment} query={shown.query} />
          <ColumnsMenu environment={props.environment} from={shown.query.from} columns={w.columns} onColumns={setColumns} />
        </div>
      )}
      {(rows.length > 0 || selected) && (
        <div class={(selected ? "pane open" : "pane") + (first.busy || first.error ? " stale" : "")}>
          {rows.length > 0 && (
            <div class="across">
              <SpanTable
                rows={rows}
                total={Math.max(total, rows.length)}
                only={only}
                columns={w.columns}
                sorting={sorting}
                selected={sel}
                onColumns={setColumns}
                onOpen={select}
                onEnd={() => (rows.length < mostRows || !w.live) && pages.load()}
              />
            </div>
          )}
          {selected && <Opened environment={props.environment} trace={selected.trace} span={selected.span} row={rows.find((r) => selectedParam(r) === sel)} tab={w.tab} />}
        </div>
      )}
      <Problem of={pages} />
      {shown && rows.length > 0 && (
        <p class="hint" aria-busy={pages.busy}>
          {t.loaded(count(rows.length), least ? t.atLeast(count(total)) : count(total))}
        </p>
      )}
    </div>
  );
}
