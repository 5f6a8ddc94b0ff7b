// SPDX-License-Identifier: Apache-2.0

// Spans as they arrive, while a page shows them.

import { useEffect, useReducer, useRef } from "preact/hooks";
import { Refusal } from "../api/http";
import { type Filter, pageSize, readSpans, type Row, type SpanQuery, tailSpans } from "../api/spans";
import { seen } from "../seen";
import { selectedParam } from "./state";

/** Rows that are kept. */
export const mostRows = 1000;

const pause = 1000; // milliseconds between questions, at least
const sampling = 5000; // the same where more arrives than can be shown: no one reads faster
const longestPause = 15_000;
const refresh = 10_000; // milliseconds after which pending evaluations are looked at again

export type Live = {
  /** Those that arrived and are shown, the last to arrive first. */
  rows: readonly Row[];
  /** Those that arrived while the list stood still. */
  waiting: readonly Row[];
  /** What became by now of spans with pending evaluations, by selectedParam. */
  newer: ReadonlyMap<string, Row>;
  /** Whether more arrive than are shown. */
  sampled: boolean;
  error: string;
  /** Shows those that wait. */
  show: () => void;
};

const none: Omit<Live, "show"> = { rows: [], waiting: [], newer: new Map(), sampled: false, error: "" };

/** Compares spans by when they started, the newest first. */
const byStart = (a: Row, b: Row) => b.start_ns.length - a.start_ns.length || (a.start_ns < b.start_ns ? 1 : a.start_ns > b.start_ns ? -1 : 0);

/** The spans that arrived among those of the list, the newest first, as the list is ordered. */
export const inOrder = (arrived: readonly Row[], others: readonly Row[]): Row[] => onTop([...arrived].reverse(), others).sort(byStart);

/** Puts spans on top of others, the last to arrive first; each is there once, and not too many are. */
export function onTop(arrived: readonly Row[], others: readonly Row[]): Row[] {
  const keys = new Set<string>();
  const list: Row[] = [];
  for (const row of [...[...arrived].reverse(), ...others]) {
    const key = selectedParam(row);
    if (list.length < mostRows && !keys.has(key)) list.push(row);
    keys.add(key);
  }
  return list;
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Asks for what arrives until it is aborted, and tells of it. Nothing is asked while the page is hidden. */
async function follow(environment: string, filters: readonly Filter[], fields: readonly string[], signal: AbortSignal, tell: (rows: readonly Row[], more: boolean) => void, fail: (why: string) => void) {
  let cursor = "";
  let wait = pause;
  let skip = false; // who cannot keep up goes on with what is new
  while (!signal.aborted) {
    await seen(signal);
    const begun = Date.now();
    try {
      const answer = await tailSpans(environment, filters, fields, cursor, skip, signal);
      if (signal.aborted) return;
      fail("");
      tell(answer.rows, answer.more);
      cursor = answer.next_cursor;
      skip = answer.more;
      wait = answer.more ? sampling : pause;
    } catch (e) {
      if (signal.aborted) return;
      fail(e instanceof Error ? e.message : String(e));
      if (e instanceof Refusal && !e.passes && e.status !== 429 && cursor === "") return;
      cursor = "";
      skip = false;
      wait = Math.min(2 * Math.max(wait, pause), longestPause);
    }
    await sleep(Math.max(0, begun + wait - Date.now()));
  }
}

const owes = (row: Row) => row.verdicts.some((v) => v.status === "deferred");

/** Follows what matches a query while on is true; while still is, what arrives waits to be shown. The rows of the first page are filled in like those that arrive. */
export function useLive(environment: string, query: SpanQuery | undefined, on: boolean, still: boolean, first: readonly Row[]): Live {
  const [, again] = useReducer<number, void>((n) => n + 1, 0);
  const now = useRef(none);
  const standing = useRef(still);
  standing.current = still;
  const before = useRef(first);
  before.current = first;
  const set = (change: Partial<typeof none>) => {
    now.current = { ...now.current, ...change };
    again();
  };
  const show = () => set({ rows: onTop([...now.current.waiting].reverse(), now.current.rows), waiting: [] });
  const wanted = on && query !== undefined ? JSON.stringify([query.filters, query.fields]) : "";
  useEffect(() => {
    now.current = none;
    if (wanted === "" || query === undefined) return;
    const left = new AbortController();
    let calm: ReturnType<typeof setTimeout> | undefined;
    const tell = (arrived: readonly Row[], more: boolean) => {
      clearTimeout(calm); // an answer may take long where nothing arrives any more
      if (more) calm = setTimeout(() => set({ sampled: false }), 2 * sampling);
      if (arrived.length === 0 && now.current.sampled === more) return;
      if (standing.current) set({ waiting: onTop(arrived, now.current.waiting), sampled: more });
      else set({ rows: onTop(arrived, onTop([...now.current.waiting].reverse(), now.current.rows)), waiting: [], sampled: more });
    };
    void follow(environment, query.filters, query.fields, left.signal, tell, (error) => error !== now.current.error && set({ error }));
    return () => (clearTimeout(calm), left.abort());
  }, [environment, wanted]);
  useEffect(() => {
    if (!still && now.current.waiting.length > 0) show();
  }, [still]);
  // What was pending when a span arrived is filled in.
  useEffect(() => {
    if (wanted === "" || query === undefined) return;
    const left = new AbortController();
    const timer = setInterval(() => {
      const { newer } = now.current;
      const shown = [...now.current.rows, ...before.current].slice(0, pageSize).map((row) => newer.get(selectedParam(row)) ?? row);
      if (document.hidden || !shown.some(owes)) return;
      void readSpans(environment, { ...query, sort: "timestamp", order: "DESC" }, "", left.signal).then(
        (page) => left.signal.aborted || set({ newer: new Map([...newer, ...page.rows.map((row) => [selectedParam(row), row] as const)].slice(-mostRows)) }),
        () => {}, // the next time does it
      );
    }, refresh);
    return () => (clearInterval(timer), left.abort());
  }, [environment, wanted]);
  return { ...now.current, show };
}
