// SPDX-License-Identifier: Apache-2.0

// Where a text stops being JSON. Browsers tell that in words of their own, if at all.

// https://www.rfc-editor.org/rfc/rfc8259
const token = /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|((?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])))/y;

type Next = "value" | "first" | "key" | "firstKey" | "colon" | "more" | "end";

/** How many characters of a text are the beginning of JSON. */
function soundness(text: string): number {
  const open: ("{" | "[")[] = [];
  let next: Next = "value";
  const closed = (): Next => (open.length === 0 ? "end" : "more");
  for (token.lastIndex = 0; ; ) {
    const at = token.lastIndex;
    const start = at + (/^[ \t\r\n]*/.exec(text.slice(at))?.[0].length ?? 0);
    const found = token.exec(text);
    if (found === null) return start;
    const [, sign, string] = found;
    const isValue = next === "value" || next === "first";
    if (isValue && (sign === "{" || sign === "[")) {
      open.push(sign);
      next = sign === "{" ? "firstKey" : "first";
    } else if (isValue && sign === undefined) next = closed();
    else if ((next === "key" || next === "firstKey") && string !== undefined) next = "colon";
    else if (next === "colon" && sign === ":") next = "value";
    else if (next === "more" && sign === ",") next = open.at(-1) === "{" ? "key" : "value";
    else if ((sign === "}" && open.at(-1) === "{" && (next === "more" || next === "firstKey")) || (sign === "]" && open.at(-1) === "[" && (next === "more" || next === "first"))) {
      open.pop();
      next = closed();
    } else return start;
  }
}

/** Where a text stops being JSON, lines and columns from 1; undefined where it is JSON. */
export function wrongAt(text: string): { line: number; column: number } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    const before = text.slice(0, soundness(text)).split("\n");
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
}
