// SPDX-License-Identifier: Apache-2.0

// JSON as it is shown.

const most = 1 << 20; // characters that are looked at

/** The parsed value of a text that is a JSON object or list, else undefined. */
export function structure(text: string): object | undefined {
  if (text.length > most || !/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;

/**
 * The text of a JSON object or list with line breaks and indents, undefined for
 * any other text. Strings and numbers stay as they were written: a number may
 * have more digits than a program keeps.
 */
export function indented(text: string): string | undefined {
  if (structure(text) === undefined) return undefined;
  const out: string[] = [];
  let depth = 0;
  let before = "";
  const line = () => "\n" + "  ".repeat(Math.min(depth, 40));
  for (const [part] of text.matchAll(token)) {
    if (part === "}" || part === "]") {
      depth--;
      if (before !== "{" && before !== "[") out.push(line());
    } else if (before === "{" || before === "[" || before === ",") out.push(line());
    out.push(part === ":" ? ": " : part);
    if (part === "{" || part === "[") depth++;
    before = part;
  }
  return out.join("");
}
