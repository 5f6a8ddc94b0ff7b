// SPDX-License-Identifier: Apache-2.0

// What is filtered as a file: all of it and not what is loaded, page by page.

import { answerOf, questionOf, readFullSpans, readSpans, type Row, type SpanQuery } from "../api/spans";
import { milliseconds, moment } from "../text/format";
import { outputText } from "../verdict/kind";

/** Spans that a file has at most. */
export const mostSpans = 100_000;

const page = 1000; // spans of a request

// https://www.rfc-editor.org/rfc/rfc4180
// https://owasp.org/www-community/attacks/CSV_Injection

/** A cell of a CSV file. What a spreadsheet would take for a formula has an apostrophe before it, as numbers need not. */
export function cell(text: string): string {
  const isFormula = /^[\s\u0000-\u001f\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(text) || /^[\t\r]/.test(text);
  const safe = isFormula && !/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? "'" + text : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const line = (cells: readonly string[]) => cells.map(cell).join(",") + "\r\n";

const fixed = ["time", "trace_id", "span_id", "name", "type", "service", "status", "model", "duration_ms", "tokens"] as const;

/** The first line of a file: names of columns. */
export const header = (columns: readonly string[]) => line([...fixed, ...columns, "input", "output", "verdicts"]);

/** What became of the evaluators of a span, in one text. */
const verdictsOf = (row: Row) =>
  row.verdicts.map((v) => `${v.evaluator}: ${v.status === "done" ? Object.entries(v.outputs).map(([name, value]) => `${name} = ${outputText(value)}`).join(", ") : `${v.status} (${v.reason})`}`).join("; ");

/** The line of a span. */
export function lineOf(row: Row, columns: readonly string[]): string {
  const time = moment(milliseconds(row.start_ns), "utc").replace(" ", "T") + "Z";
  const took = String(Number(row.duration_ns) / 1e6);
  return line([
    time, row.trace_id, row.span_id, row.name, row.type, row.service, row.status, row.model, took, row.tokens === null ? "" : String(row.tokens),
    ...columns.map((c) => row.fields[c] ?? ""), questionOf(row), answerOf(row), verdictsOf(row),
  ]);
}

export type Kind = "csv" | "jsonl";

/** Reads all spans of a query as the parts of a file, and tells how many there are by now and in all. */
export async function exported(kind: Kind, environment: string, query: SpanQuery, signal: AbortSignal, tell: (have: number, all: number) => void): Promise<string[]> {
  const parts: string[] = kind === "csv" ? [header(query.fields)] : [];
  const read = (cursor: string, have: number) => {
    const limit = Math.min(page, mostSpans - have);
    return kind === "csv" ? readSpans(environment, query, cursor, signal, limit, have === 0) : readFullSpans(environment, query, cursor, signal, limit);
  };
  let [have, all] = [0, 0];
  for (let got = await read("", 0); ; ) {
    have += got.rows.length;
    all = Math.max(all, have, got.total_results ?? 0);
    tell(have, all);
    const next = got.next_cursor === "" || have >= mostSpans ? undefined : read(got.next_cursor, have); // while the lines of this page are written
    parts.push(got.rows.map((row) => (kind === "csv" ? lineOf(row as Row, query.fields) : JSON.stringify(row) + "\n")).join(""));
    if (next === undefined) break;
    got = await next;
  }
  return parts;
}
