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

/** A text, or a number, a boolean or null as it was written: a number may have more digits than a program keeps. */
export type Scalar = { kind: "text" | "other"; text: string };

export type Value = Scalar | Branch;

/** An object or a list with its members in their order; those of a list have numbers for names. */
export type Branch = { kind: "object" | "list"; members: { name: string; value: Value }[] };

export const isBranch = (value: Value): value is Branch => value.kind === "object" || value.kind === "list";

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;

const unquoted = (text: string) => JSON.parse(text) as string;

/** The values of a text that is a JSON object or list, else undefined. */
export function valuesOf(text: string): Branch | undefined {
  if (structure(text) === undefined) return undefined;
  const root: Branch = { kind: "list", members: [] };
  const open: Branch[] = [root];
  let name: string | undefined;
  let last: string | undefined; // a text that may turn out to be a name
  const add = (value: Value) => {
    const at = open.at(-1) ?? root;
    at.members.push({ name: name ?? String(at.members.length), value });
    name = undefined;
  };
  const settle = () => {
    if (last !== undefined) add({ kind: "text", text: unquoted(last) });
    last = undefined;
  };
  for (const [part] of text.matchAll(token)) {
    if (part === ":") {
      name = unquoted(last ?? '""');
      last = undefined;
      continue;
    }
    settle();
    if (part === "{" || part === "[") {
      const branch: Branch = { kind: part === "{" ? "object" : "list", members: [] };
      add(branch);
      open.push(branch);
    } else if (part === "}" || part === "]") open.pop();
    else if (part.startsWith('"')) last = part;
    else if (part !== ",") add({ kind: "other", text: part });
  }
  const first = root.members[0]?.value;
  return first !== undefined && isBranch(first) ? first : undefined;
}
