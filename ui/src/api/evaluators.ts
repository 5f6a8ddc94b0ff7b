// SPDX-License-Identifier: Apache-2.0

// Evaluators: what there are, what they take, and trying them.

import { api } from "../place";
import { ask } from "../session";
import type { Outputs } from "./verdicts";

export type EvaluatorField = { name: string; type: string; description?: string };

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
  result: Outputs | null;
  good: boolean | null;
  backend: string;
  version: string;
  model: string;
  usage: { prompt_tokens: number; completion_tokens: number; cost_usd: number };
  duration_ms: number;
};

const pathOf = (slug: string) => `${api}/evaluators/${encodeURIComponent(slug)}`;

export const readEvaluators = async (environment: string, signal: AbortSignal) =>
  (await ask<{ evaluators: Evaluator[] }>(api + "/evaluators", { environment, signal })).evaluators;

export const readSchema = (environment: string, slug: string, signal: AbortSignal) => ask<EvaluatorSchema>(pathOf(slug) + "/schema", { environment, signal });

export type Tried = { outputs: Outputs; backend: string; duration: number; tokens: number; cost: number };

/** Runs an evaluator on texts; nothing of it is stored. */
export async function execute(environment: string, slug: string, input: Record<string, string>, config: Record<string, unknown>, signal: AbortSignal): Promise<Tried> {
  const tried = { outputs: {} as Outputs, backend: "", duration: 0, tokens: 0, cost: 0 };
  const hear = (h: Headers) => {
    const number = (name: string) => Number(h.get("X-Evaluator-" + name) ?? 0);
    tried.backend = h.get("X-Evaluator-Backend") ?? "";
    tried.duration = number("Duration-Ms");
    tried.tokens = number("Prompt-Tokens") + number("Completion-Tokens");
    tried.cost = number("Cost-Usd");
  };
  tried.outputs = await ask<Outputs>(pathOf(slug) + "/execute", { method: "POST", environment, signal, body: { input, config }, onHeaders: hear });
  return tried;
}

/** Runs an evaluator on a stored span; nothing of it is stored. */
export const executeSpan = (environment: string, slug: string, trace: string, span: string, config: Record<string, unknown>, signal: AbortSignal) =>
  ask<Executed>(pathOf(slug) + "/execute-span", { method: "POST", environment, signal, body: { trace_id: trace, span_id: span, config } });
