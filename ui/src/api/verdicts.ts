// SPDX-License-Identifier: Apache-2.0

// What became of evaluators, and why.

import { api } from "../place";
import { ask } from "../session";

export type Outputs = Readonly<Record<string, string | number | boolean>>;

/** A piece of an input that decided: its bytes, from the first to the one behind the last. */
export type Evidence = { input: string; kind?: string; start: number; end: number };

/** The outputs and, in addition, score, reason, evidence and whether it is uncertain. */
export type Result = Readonly<Record<string, Outputs[string] | readonly Evidence[]>>;

export type Verdict = {
  evaluator: string;
  /** Empty where the application judged with its SDK. */
  setup_id: string;
  status: "done" | "uncertain" | "deferred" | "skipped" | "failed";
  reason: string;
  backend: string;
  /** What the threshold is compared with, where a number decides. */
  score?: number;
  outputs: Outputs;
  /** Whether it speaks for the span or against it; null where it says neither. */
  good: boolean | null;
  /** What it took, where the answer tells that. */
  duration_ns?: string;
  cost_usd?: number;
};

export type Finding = {
  key: string;
  source: "span_attributes" | "resource_attributes";
  operator: string;
  wanted: string[];
  actual: string;
  truncated: boolean;
  present: boolean;
  holds: boolean;
  hint?: string;
};

export type ExplainedEvaluator = {
  evaluator_type: string;
  status: Verdict["status"] | "none";
  reason: string;
  sentence: string;
};

export type ExplainedSetup = {
  setup_id: string;
  external_id?: string;
  deleted: boolean;
  matched: boolean;
  made_after_span: boolean;
  paused?: boolean;
  sentence: string;
  rules: Finding[];
  evaluators: ExplainedEvaluator[];
};

export type Explanation = { own_traffic: boolean; sentence: string; setups: ExplainedSetup[]; truncated: boolean };

/** Asks why a span was judged or not, by every setup of the environment. */
export const explain = (environment: string, trace: string, span: string, signal: AbortSignal) =>
  ask<Explanation>(`${api}/warehouse/spans/${encodeURIComponent(trace)}/${encodeURIComponent(span)}/explain`, { environment, signal });
