// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import type { Filter, Row, RowPage, Sort, SpanQuery } from "../api/spans";
import { readSpans } from "../api/spans";
import { filtersParam } from "../filter/filter";
import { Filters } from "../filter/filters";
import { boundsOf } from "../period/period";
import { PeriodSelect } from "../period/select";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { texts } from "../texts";
import { count } from "../text/format";
import { change, format, link, place } from "../url";
import { useLoaded } from "../use";
import { AddColumn } from "./columns";
import { Histogram } from "./histogram";
import { columnsParam, type Wanted, wanted } from "./state";
import { modelFields, type Sorting, SpanTable } from "./table";

const t = texts.spans;

type First = { query: SpanQuery; page: RowPage };

/** More rows of the same query, of pages after the first. */
type Rest = { of: First; rows: Row[]; cursor: string };

function queryOf(w: Wanted): SpanQuery {
  const { period, filters, sort, order, columns } = w;
  const rest = { filters, sort, order, fields: [...new Set([...modelFields, ...columns])] };
  return { ...boundsOf(period), ...rest };
}

function Nothing(props: { wanted: Wanted }) {
  const filtered = props.wanted.filters.length > 0;
  return (
    <div class="empty">
      <p>{filtered ? t.noMatch : t.none}</p>
      <p class="actions">
        {props.wanted.period !== "30d" && (
          <button onClick={() => change({ t: "30d", from: "", to: "" })}>{t.lookBack}</button>
        )}
        {filtered && <button onClick={() => change({ filters: "" })}>{t.clear}</button>}
        {!filtered && (
          <Link href={link(["environment"])} class="button">
            {t.howToSend}
          </Link>
        )}
      </p>
    </div>
  );
}

/** The spans of a period that match, newest first. The URL says all of it. */
export function SpansScreen(props: { environment: string }) {
  const { params } = place.value;
  const w = wanted(params);
  const [round, setRound] = useState(0);
  const first = useLoaded<First>(
    async (signal) => {
      const query = queryOf(w);
      return { query, page: await readSpans(props.environment, query, "", signal) };
    },
    [props.environment, params.t, params.from, params.to, params.filters, params.sort, params.order, params.cols, round],
  );
  const [rest, setRest] = useState<Rest>();
  const shown = first.data;
  const added = rest !== undefined && rest.of === shown ? rest : undefined;
  const cursor = added?.cursor ?? shown?.page.next_cursor ?? "";
  const rows = shown === undefined ? [] : [...shown.page.rows, ...(added?.rows ?? [])];
  const more = useMore(props.environment, shown, added, cursor, setRest);
  const setFilters = (filters: readonly Filter[]) => change({ filters: filtersParam(filters) });
  const only = (f: Filter) =>
    format({ path: ["spans"], params: { ...params, filters: filtersParam([...w.filters.filter((other) => other.id !== f.id), f]) } });
  const sorting: Sorting = {
    by: w.sort,
    order: w.order,
    href: (by: Sort) =>
      format({ path: ["spans"], params: { ...params, sort: by === "timestamp" ? "" : by, order: by === w.sort && w.order === "DESC" ? "ASC" : "" } }),
  };
  const setColumns = (columns: readonly string[]) => change({ cols: columnsParam(columns) });

  return (
    <div class="list">
      <div class="head">
        <h1>{t.title}</h1>
        <PeriodSelect period={w.period} />
        <button onClick={() => setRound(round + 1)}>{t.refresh}</button>
        <p role="status" class="hint">
          {shown && t.found(count(shown.page.total_results), shown.page.total_results)}
        </p>
      </div>
      <Filters filters={w.filters} onChange={setFilters} />
      {w.filters.length > 0 && (
        <Link href={link(["monitors", "new"], { filters: filtersParam(w.filters) })} class="more">
          {t.monitor}
        </Link>
      )}
      {w.broken && <p class="problem">{t.broken}</p>}
      {rows.length > 0 && <Histogram environment={props.environment} wanted={w} round={round} />}
      <Problem of={first} />
      {shown && rows.length === 0 && <Nothing wanted={w} />}
      {rows.length > 0 && (
        <div class="across">
          <SpanTable rows={rows} only={only} columns={w.columns} sorting={sorting} onRemove={(c) => setColumns(w.columns.filter((other) => other !== c))} />
        </div>
      )}
      {more.error !== "" && <p class="problem">{more.error}</p>}
      {shown && rows.length > 0 && cursor !== "" && (
        <button aria-disabled={more.busy} onClick={() => void more.load()}>
          {t.more(count(rows.length), count(shown.page.total_results))}
        </button>
      )}
      {rows.length > 0 && <AddColumn columns={w.columns} onAdd={(c) => setColumns([...w.columns, c])} />}
    </div>
  );
}

/** Loads the page after those that are shown. */
function useMore(environment: string, shown: First | undefined, added: Rest | undefined, cursor: string, done: (rest: Rest) => void) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const load = async () => {
    if (shown === undefined || busy) return;
    setBusy(true);
    setError("");
    try {
      const page = await readSpans(environment, shown.query, cursor, new AbortController().signal);
      done({ of: shown, rows: [...(added?.rows ?? []), ...page.rows], cursor: page.next_cursor });
    } catch (e) {
      setError(e instanceof Error ? e.message : String(e));
    }
    setBusy(false);
  };
  return { busy, error, load };
}
