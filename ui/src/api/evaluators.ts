// SPDX-License-Identifier: Apache-2.0

// Evaluators: what there are, what they take, and trying them.

import { api } from "../place";
import { ask } from "../session";
import { curlOf } from "./curl";
import type { Result } from "./verdicts";

export type EvaluatorField = { name: string; type: string; description?: string; enum_values?: string[]; /** The values of an output with which the text passes; of a number one bound, such as >=0.5. */ passes?: string[] };

export type Evaluator = {
  id: string;
  slug: string;
  name: string;
  type: "PREBUILT" | "LLM_AS_A_JUDGE";
  source: "custom" | "prebuilt";
  description: string;
  version: string;
  input_schema: EvaluatorField[];
  output_schema: EvaluatorField[];
  /** What may judge, the best first, whether or not it is configured. */
  backends: string[];
  /** What a custom evaluator tells its judge. */
  config?: { provider: string; messages: { role: string; content: string }[]; llm_config: { model: string; temperature?: number; max_tokens?: number } };
};

/** What a custom evaluator is asked to be. */
export type CustomWish = {
  name: string;
  slug?: string;
  description: string;
  provider: string;
  model: string;
  messages: readonly { role: string; content: string }[];
  input_schema: EvaluatorField[];
  output_schema: EvaluatorField[];
  temperature?: number;
  max_tokens?: number;
};

/** As much of JSON Schema as evaluators use: https://json-schema.org */
export type Schema = {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  enum?: (string | number)[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  /** What a text holds. */
  contentMediaType?: string;
};

export type Backend = { backend: string; available: boolean; needs?: string };

export type EvaluatorSchema = {
  slug: string;
  version: string;
  input: Schema;
  config: Schema;
  output: Schema;
  span_parts: Record<string, string>;
  good: Record<string, boolean | string>;
  backends: Backend[];
  auto: string;
  examples: { about: string; input: Record<string, unknown>; config?: Record<string, unknown>; output: Record<string, unknown> }[];
};

export type Executed = {
  inputs: Record<string, string>;
  missing: string[];
  reason: string;
  result: Result | null;
  good: boolean | null;
  backend: string;
  version: string;
  model: string;
  usage: { prompt_tokens: number; completion_tokens: number; cost_usd: number };
  duration_ms: number;
};

/** By what an evaluator can be asked to judge: anything, what computes here, or a judge. */
export const judgedBys = ["", "local", "judge"] as const;

const local = ["deterministic", "embedded"];

export const judgedBy = (e: Evaluator, by: string) => (by === "local" ? e.backends.some((b) => local.includes(b)) : by === "judge" ? e.backends.includes("judge") : true);

const pathOf = (slug: string) => `${api}/evaluators/${encodeURIComponent(slug)}`;

export const readEvaluators = async (environment: string, signal: AbortSignal) =>
  (await ask<{ evaluators: Evaluator[] }>(api + "/evaluators", { environment, signal })).evaluators;

export const readEvaluator = (environment: string, slug: string, signal: AbortSignal) => ask<Evaluator>(pathOf(slug), { environment, signal });

export const createCustom = (environment: string, wish: CustomWish) =>
  ask<{ evaluator_id: string; slug: string }>(api + "/evaluators", { method: "POST", environment, body: wish });

/** A change of a custom evaluator, which has what is about its judge in a place of its own. */
function changeOf({ provider, model, messages, temperature, max_tokens, slug: _, ...rest }: CustomWish) {
  return { ...rest, config: { provider, messages, llm_config: { model, temperature, max_tokens } } };
}

/** Makes a new version of a custom evaluator. */
export const changeCustom = (environment: string, slug: string, wish: CustomWish) => ask<unknown>(pathOf(slug), { method: "PATCH", environment, body: changeOf(wish) });

/** The commands that do. */
export const createCustomCurl = (wish: CustomWish) => curlOf("POST", api + "/evaluators", wish);
export const changeCustomCurl = (slug: string, wish: CustomWish) => curlOf("PATCH", pathOf(slug), changeOf(wish));

export const readSchema = (environment: string, slug: string, signal: AbortSignal) => ask<EvaluatorSchema>(pathOf(slug) + "/schema", { environment, signal });

/** good says whether the verdict speaks for what was judged, null where it does neither. */
export type Tried = { outputs: Result; good: boolean | null; backend: string; duration: number; tokens: number; cost: number };

/** Runs an evaluator by one of the paths that answer a verdict, and tells what it took. */
async function run(path: string, environment: string, body: unknown, signal: AbortSignal): Promise<Tried> {
  const tried: Tried = { outputs: {}, good: null, backend: "", duration: 0, tokens: 0, cost: 0 };
  const hear = (h: Headers) => {
    const number = (name: string) => Number(h.get("X-Evaluator-" + name) ?? 0);
    const good = h.get("X-Evaluator-Good");
    tried.good = good === null ? null : good === "true";
    tried.backend = h.get("X-Evaluator-Backend") ?? "";
    tried.duration = number("Duration-Ms");
    tried.tokens = number("Prompt-Tokens") + number("Completion-Tokens");
    tried.cost = number("Cost-Usd");
  };
  tried.outputs = await ask<Result>(path, { method: "POST", environment, signal, body, onHeaders: hear });
  return tried;
}

/** Runs an evaluator on texts; nothing of it is stored. */
export const execute = (environment: string, slug: string, input: Record<string, unknown>, config: Record<string, unknown>, signal: AbortSignal) =>
  run(pathOf(slug) + "/execute", environment, { input, config }, signal);

/** Runs a custom evaluator that need not exist; neither it nor anything else is stored. */
export const tryCustom = (environment: string, wish: CustomWish, input: Record<string, unknown>, signal: AbortSignal) =>
  run(api + "/evaluators/custom-evaluator/try", environment, { evaluator: wish, input }, signal);

/** The command that runs an evaluator on texts. */
export const executeCurl = (slug: string, input: Record<string, unknown>, config: Record<string, unknown>) => curlOf("POST", pathOf(slug) + "/execute", { input, config });

/** A stored span to be judged, and how. */
export type OfSpan = { trace_id: string; span_id: string; config: Record<string, unknown>; input_mapping?: Record<string, unknown> };

/** Runs an evaluator on a stored span; nothing of it is stored. */
export const executeSpan = (environment: string, slug: string, of: OfSpan, signal: AbortSignal) =>
  ask<Executed>(pathOf(slug) + "/execute-span", { method: "POST", environment, signal, body: of });

/** The command that does. */
export const executeSpanCurl = (slug: string, of: OfSpan) => curlOf("POST", pathOf(slug) + "/execute-span", of);
