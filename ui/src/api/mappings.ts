// SPDX-License-Identifier: Apache-2.0

// What an environment reads attributes of its own as.

import { api } from "../place";
import { ask } from "../session";

/** What an attribute may be read as, as the API names it. */
export const roles = [
  "input",
  "output",
  "prompts",
  "completions",
  "messages",
  "tool_calls",
  "context",
  "tool_definitions",
  "tool_name",
  "entity",
  "workflow",
  "conversation_id",
  "session_id",
  "user_id",
  "span_type",
  "llm.vendor",
  "llm.request.model",
  "llm.response.model",
  "llm.usage.input_tokens",
  "llm.usage.output_tokens",
  "llm.usage.total_tokens",
  "llm.usage.cache_read_input_tokens",
  "llm.usage.cache_creation_input_tokens",
  "llm.usage.reasoning_tokens",
  "cost",
  "input_cost",
  "content",
] as const;

export type Mapping = { attribute: string; role: string };

export type MappedSpan = {
  trace_id: string;
  span_id: string;
  timestamp: number;
  span_name: string;
  span_type: string;
  question: string;
  output: string;
  reads: (Mapping & { text: string })[];
};

export type Trial = { spans: number; matched: number; samples: MappedSpan[] };

const path = api + "/mappings";

export const readMappings = async (environment: string, signal: AbortSignal) => (await ask<{ mappings: Mapping[] }>(path, { environment, signal })).mappings;
export const saveMappings = async (environment: string, mappings: readonly Mapping[]) =>
  (await ask<{ mappings: Mapping[] }>(path, { method: "PUT", environment, body: { mappings } })).mappings;
export const tryMappings = (environment: string, mappings: readonly Mapping[]) => ask<Trial>(path + "/test", { method: "POST", environment, body: { mappings } });
