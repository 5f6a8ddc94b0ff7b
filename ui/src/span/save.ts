// SPDX-License-Identifier: Apache-2.0

import { type FullSpan, readText } from "../api/traces";
import { saveFile } from "../save";
import type { TextOf } from "./message";

/** What Words needs of the texts of a span that the API cut: their sizes, and what downloads one of them. */
export function textsOf(environment: string, span: FullSpan): TextOf {
  return (field) => {
    const whole = span.cut_texts[field];
    if (whole === undefined) return {};
    const download = async () => {
      const text = await readText(environment, span.trace_id, span.span_id, field);
      saveFile(`${span.trace_id}-${span.span_id}.txt`, [text], "text/plain");
    };
    return { whole, download };
  };
}
