// SPDX-License-Identifier: Apache-2.0

// What is filtered as a file: all of it and not what is loaded.

import { readCSV, readFullSpans, type SpanQuery } from "../api/spans";

/** Spans that a file has at most. */
export const mostSpans = 100_000;

const page = 1000; // spans of a request

export type Kind = "csv" | "jsonl";

/** Counts the lines of comma-separated values as their parts come: a line may end within quotes, too. */
export function lineCounter(): (part: Uint8Array) => number {
  const [quote, end] = [0x22, 0x0a];
  let [lines, quoted] = [0, false];
  return (part) => {
    for (const byte of part) {
      if (byte === quote) quoted = !quoted;
      else if (byte === end && !quoted) lines++;
    }
    return lines;
  };
}

/** Reads all spans of a query as the parts of a file, and tells how many there are by now. */
export async function exported(kind: Kind, environment: string, query: SpanQuery, signal: AbortSignal, tell: (have: number) => void): Promise<BlobPart[]> {
  if (kind === "csv") {
    const count = lineCounter();
    return [await readCSV(environment, query, signal, (part) => tell(Math.max(0, count(part) - 1)))];
  }
  const parts: string[] = [];
  const read = (cursor: string, have: number) => readFullSpans(environment, query, cursor, signal, Math.min(page, mostSpans - have));
  let have = 0;
  for (let got = await read("", 0); ; ) {
    have += got.rows.length;
    tell(have);
    const next = got.next_cursor === "" || have >= mostSpans ? undefined : read(got.next_cursor, have); // while the lines of this page are written
    parts.push(got.rows.map((row) => JSON.stringify(row) + "\n").join(""));
    if (next === undefined) break;
    got = await next;
  }
  return parts;
}
