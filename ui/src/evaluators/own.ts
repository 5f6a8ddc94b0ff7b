// SPDX-License-Identifier: Apache-2.0

// A custom evaluator while the user writes it, and its requests to the API.

import type { CustomWish, Evaluator, EvaluatorField, Schema } from "../api/evaluators";
import { memberPaths, namedBy } from "../form/typed";

export const roles = ["system", "user", "assistant"] as const;
export const fieldTypes = ["string", "boolean", "int", "float", "enum"] as const;

export type DraftField = { name: string; type: (typeof fieldTypes)[number]; description: string; values: string; /** The values that pass, "" where it is not said. */ passes: string };
export type DraftMessage = { role: (typeof roles)[number]; content: string };

export type Draft = {
  name: string;
  slug: string;
  description: string;
  provider: string;
  model: string;
  temperature: string;
  longest: string;
  messages: readonly DraftMessage[];
  inputs: readonly DraftField[];
  outputs: readonly DraftField[];
};

/** The last segment of an evaluator's address: its slug, or its id where the slug means a page. */
export const nameOf = (e: { slug: string; id: string }) => (e.slug === "new" ? e.id : e.slug);

export const emptyField: DraftField = { name: "", type: "string", description: "", values: "", passes: "" };

/** A draft that has one of everything that there must be. */
export const emptyDraft: Draft = {
  name: "", slug: "", description: "", provider: "default", model: "", temperature: "", longest: "",
  messages: [{ role: "user", content: "" }], inputs: [{ ...emptyField, name: "text" }], outputs: [{ ...emptyField, name: "pass", type: "boolean" }],
};

const numberOf = (text: string) => {
  const n = Number(text);
  return (Number.isFinite(n) ? n : text) as number; // the API says what is wrong with a text
};

const listOf = (text: string) => text.split(",").map((v) => v.trim()).filter((v) => v !== "");

const fieldOf = (f: DraftField): EvaluatorField => ({
  name: f.name, type: f.type, ...(f.description === "" ? {} : { description: f.description }),
  ...(f.type === "enum" ? { enum_values: listOf(f.values) } : {}),
  ...(f.type !== "string" && f.name.toLowerCase() !== "pass" && f.passes.trim() !== "" ? { passes: listOf(f.passes) } : {}),
});

/** What a draft asks for. Numbers that are left empty are left out. */
export const wishOf = (d: Draft): CustomWish => ({
  name: d.name, ...(d.slug === "" ? {} : { slug: d.slug }), description: d.description, provider: d.provider, model: d.model, messages: d.messages,
  input_schema: d.inputs.map(fieldOf), output_schema: d.outputs.map(fieldOf),
  ...(d.temperature.trim() === "" ? {} : { temperature: numberOf(d.temperature) }),
  ...(d.longest.trim() === "" ? {} : { max_tokens: numberOf(d.longest) }),
});

const draftField = (f: EvaluatorField): DraftField => ({ name: f.name, type: fieldTypes.find((t) => t === f.type) ?? "float", description: f.description ?? "", values: (f.enum_values ?? []).join(", "), passes: (f.passes ?? []).join(", ") });

/** A draft of what is stored. */
export function draftOf(e: Evaluator): Draft {
  const { config } = e;
  const text = (n: number | undefined) => (n === undefined ? "" : String(n));
  return {
    name: e.name, slug: e.slug, description: e.description, provider: config?.provider ?? "", model: config?.llm_config.model ?? "",
    temperature: text(config?.llm_config.temperature), longest: text(config?.llm_config.max_tokens),
    messages: (config?.messages ?? []).map((m) => ({ role: roles.find((r) => r === m.role) ?? "user", content: m.content })),
    inputs: e.input_schema.map(draftField), outputs: e.output_schema.map(draftField),
  };
}

/** Where a creation has the parts of a custom evaluator, and where a change has them. */
export type Paths = { provider: string; model: string; temperature: string; longest: string; messages: string };

export const pathsOfCreation: Paths = { provider: "provider", model: "model", temperature: "temperature", longest: "max_tokens", messages: "messages" };
export const pathsOfChange: Paths = {
  provider: "config.provider", model: "config.llm_config.model", temperature: "config.llm_config.temperature", longest: "config.llm_config.max_tokens", messages: "config.messages",
};

/** The paths of all fields of a draft. */
export const fieldsOf = (d: Draft, paths: Paths): string[] => [
  "name", "slug", "description", ...Object.values(paths), "input_schema", "output_schema",
  ...d.messages.flatMap((_, i) => ["role", "content"].map((m) => `${paths.messages}[${i}].${m}`)),
  ...([["input_schema", d.inputs], ["output_schema", d.outputs]] as const).flatMap(([at, list]) => list.flatMap((_, i) => ["name", "type", "description", "enum_values", "passes"].map((m) => `${at}[${i}].${m}`))),
];

const typeNames: Record<DraftField["type"], string> = { string: "string", boolean: "boolean", int: "integer", float: "number", enum: "string" };

function schemaOf(f: DraftField): Schema {
  const { enum_values: values, description } = fieldOf(f);
  return { type: typeNames[f.type], ...(description === undefined ? {} : { description }), ...(values === undefined ? {} : { enum: values }) };
}

/** The JSON Schema of what a draft takes, without fields that have no name yet. */
export function inputOf(d: Draft): Schema {
  const named = d.inputs.filter((f) => f.name !== "");
  return { type: "object", properties: Object.fromEntries(named.map((f) => [f.name, schemaOf(f)])), required: named.map((f) => f.name) };
}

/** The field of the form that a refusal of a trial names. A trial has the evaluator as a creation has it. */
export function namedByTrial(message: string, d: Draft, paths: Paths): string | undefined {
  const given = fieldsOf(d, pathsOfCreation).map((p) => `evaluator.${p}`);
  const named = namedBy(message, [...given, ...memberPaths("input", inputOf(d))]);
  return named === undefined ? undefined : (fieldsOf(d, paths)[given.indexOf(named)] ?? named);
}
