// SPDX-License-Identifier: Apache-2.0

// Values of a JSON Schema as users type them.

import type { Schema } from "../api/evaluators";

export type Typed = Readonly<Record<string, string>>;

/** How a value is typed in. */
export type Kind = "switch" | "choice" | "number" | "text" | "json";

const typesOf = (s: Schema) => (Array.isArray(s.type) ? s.type : s.type === undefined ? [] : [s.type]).filter((t) => t !== "null");

export function kindOf(s: Schema): Kind {
  const types = typesOf(s);
  if (s.enum !== undefined && s.enum.every((v) => typeof v === "string")) return "choice";
  if (types.length === 1 && types[0] === "boolean") return "switch";
  if (types.length === 1 && (types[0] === "number" || types[0] === "integer")) return "number";
  return types.length === 1 && types[0] === "string" ? "text" : "json";
}

/** Whether what is typed has to be JSON, and not any text. */
export const needsJSON = (s: Schema) => s.contentMediaType === "application/json" || (kindOf(s) === "json" && !typesOf(s).includes("string"));

/** A value as it is typed. */
export const typedOf = (value: unknown) => (value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value));

/** A whole number that was typed, or what was typed, of which the API says what is wrong. */
export const whole = (text: string) => (text.trim() === "" ? undefined : /^\d+$/.test(text.trim()) ? Number(text) : text);

/** Members of an object as they are typed. */
export const typedMembers = (members: Readonly<Record<string, unknown>>): Typed =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, typedOf(value)]));

/** Whether a value is of one of the types of a schema. */
const isOf = (s: Schema, value: unknown) => typesOf(s).some((t) => (t === "array" ? Array.isArray(value) : t === "object" ? typeof value === "object" && value !== null && !Array.isArray(value) : t === "integer" ? Number.isInteger(value) : t === typeof value));

/** The value that was typed; undefined for none. What cannot be read goes to the API as it is, which says what is wrong. */
export function valueOf(s: Schema, text: string): unknown {
  if (text === "") return undefined;
  switch (kindOf(s)) {
    case "switch":
      return text === "true";
    case "number": {
      const n = Number(text);
      return text.trim() !== "" && Number.isFinite(n) ? n : text;
    }
    case "json":
      try {
        const value: unknown = JSON.parse(text);
        return typesOf(s).includes("string") && !isOf(s, value) ? text : value; // such as 21, where a text or an object is wanted
      } catch {
        return text;
      }
  }
  return text;
}

/** The object that was typed: members without a text are left out, but for a text that is required and that a user, or an example, made empty. */
export function objectOf(s: Schema, typed: Typed): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(s.properties ?? {})) {
    const isEmptied = typed[name] === "" && s.required?.includes(name) === true && typesOf(schema).includes("string");
    const value = isEmptied ? "" : valueOf(schema, typed[name] ?? "");
    if (value !== undefined) made[name] = value;
  }
  return made;
}

/** The paths of the members that an object of this schema may have. */
export const memberPaths = (path: string, s: Schema) => Object.keys(s.properties ?? {}).map((name) => `${path}.${name}`);

/** The field, of those with these paths, that a refusal of the API names first: the longest. */
export function namedBy(message: string, paths: readonly string[]): string | undefined {
  const named = paths.filter((p) => message.startsWith(p) && !/^\w/.test(message.slice(p.length)));
  return named.sort((a, b) => b.length - a.length)[0];
}
