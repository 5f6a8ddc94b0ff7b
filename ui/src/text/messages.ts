// SPDX-License-Identifier: Apache-2.0

// Messages of a conversation, as spans have them: llm.prompts.<n>.role, .content,
// .tool_calls.<m>.name and so on, each with its own attribute.

import { type Encoded, fileOf } from "./encoded";
import { structure } from "./json";

export type Part = { kind: "text"; text: string } | { kind: "file"; file: Encoded } | { kind: "other"; type: string; characters: number };

export type Call = { id: string; name: string; arguments: string; field: string };

export type Message = {
  role: string;
  parts: Part[];
  calls: Call[];
  /** Which call this is the answer of. */
  answers: string;
  finish: string;
  /** What else is said of it. */
  rest: [name: string, value: string][];
  /** Attribute of the content. */
  field: string;
};

const most = 10_000; // messages

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The longest string inside a value, in characters: what a picture or a file weighs. */
function weight(value: unknown, depth = 0): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null || depth > 8) return 0;
  return Math.max(0, ...Object.values(value).slice(0, 100).map((v) => weight(v, depth + 1)));
}

/** Tells text from pictures and other parts. A content that is no list of parts is text. */
export function partsOf(content: string): Part[] {
  if (content === "") return [];
  const list = content.startsWith("[") ? structure(content) : undefined;
  if (!Array.isArray(list) || list.length === 0 || list.length > 1000) return [{ kind: "text", text: content }];
  const parts: Part[] = [];
  for (const item of list as unknown[]) {
    if (typeof item !== "object" || item === null) return [{ kind: "text", text: content }];
    const { type, text: said, content: inner } = item as Record<string, unknown>;
    if (typeof type !== "string") return [{ kind: "text", text: content }];
    const plain = text(said) ?? text(inner);
    const file = fileOf(item as Record<string, unknown>);
    if (/text/.test(type) && plain !== undefined) parts.push({ kind: "text", text: plain });
    else if (file !== undefined) parts.push({ kind: "file", file });
    else parts.push({ kind: "other", type, characters: weight(item) });
  }
  return parts;
}

/** Whether a text that was cut looks like the beginning of a list of parts, which cannot be split then. */
export const isCutParts = (content: string) => /^\[\s*\{\s*"/.test(content) && content.includes('"type"') && structure(content) === undefined;

/** A message with, for each of its calls, the message that answers it, if there is one. */
export type Exchange = { message: Message; results: (Message | undefined)[] };

/** Puts each answer of a tool next to the call that it names; what answers no call stands for itself. */
export function exchangesOf(messages: readonly Message[]): Exchange[] {
  const waiting = new Map<string, { results: (Message | undefined)[]; at: number }>();
  const list: Exchange[] = [];
  for (const message of messages) {
    const asked = message.answers === "" ? undefined : waiting.get(message.answers);
    if (asked !== undefined && message.calls.length === 0) {
      asked.results[asked.at] = message;
      waiting.delete(message.answers);
      continue;
    }
    const results: (Message | undefined)[] = message.calls.map(() => undefined);
    message.calls.forEach((call, at) => call.id !== "" && waiting.set(call.id, { results, at }));
    list.push({ message, results });
  }
  return list;
}

/** Reads the attributes below a prefix such as llm.prompts. in the order of their numbers. */
export function messagesOf(attributes: Readonly<Record<string, string>>, prefix: string): Message[] {
  const byNumber = new Map<number, Map<string, string>>();
  for (const [key, value] of Object.entries(attributes)) {
    if (!key.startsWith(prefix)) continue;
    const found = /^(\d{1,6})\.(.+)$/s.exec(key.slice(prefix.length));
    if (found === null) continue;
    const number = Number(found[1]);
    const fields = byNumber.get(number) ?? new Map<string, string>();
    fields.set(found[2] ?? "", value);
    byNumber.set(number, fields);
  }
  return [...byNumber.entries()]
    .sort(([a], [b]) => a - b)
    .slice(0, most)
    .map(([number, fields]) => messageOf(fields, `${prefix}${number}.`));
}

function messageOf(fields: ReadonlyMap<string, string>, at: string): Message {
  const calls = new Map<number, Call>();
  const message: Message = { role: "", parts: [], calls: [], answers: "", finish: "", rest: [], field: at + "content" };
  for (const [name, value] of fields) {
    const call = /^tool_calls\.(\d{1,6})\.(id|name|arguments)$/.exec(name);
    if (call !== null) {
      const number = Number(call[1]);
      const known = calls.get(number) ?? { id: "", name: "", arguments: "", field: `${at}tool_calls.${number}.arguments` };
      calls.set(number, { ...known, [call[2] ?? ""]: value });
    } else if (name === "role") message.role = value;
    else if (name === "content") message.parts = partsOf(value);
    else if (name === "tool_call_id") message.answers = value;
    else if (name === "finish_reason") message.finish = value;
    else message.rest.push([name, value]);
  }
  message.calls = [...calls.entries()].sort(([a], [b]) => a - b).map(([, c]) => c);
  return message;
}
