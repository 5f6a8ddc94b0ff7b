// SPDX-License-Identifier: Apache-2.0

// Auto monitor setups, which the screens call monitors.

import { api } from "../place";
import { ask } from "../session";
import { curlOf } from "./curl";

export const ruleOperators = ["equals", "not_equals", "contains", "not_contains", "exists", "not_exists", "in", "not_in"] as const;
export type RuleOperator = (typeof ruleOperators)[number];

export type Rule = { key: string; source: "span_attributes" | "resource_attributes"; operator?: RuleOperator; value?: string | number | boolean; values?: (string | number | boolean)[] };

export type Status = "pending" | "in_progress" | "waiting_for_spans" | "completed" | "partial" | "failed";

export type SetupEvaluator = {
  evaluator_type: string;
  evaluator_id?: string;
  status: Status;
  error_message?: string;
  config?: Record<string, unknown>;
  input_mapping?: Record<string, unknown>;
  sample_rate?: number;
  backend?: string;
};

export const verdictActions = ["mask", "hash", "drop_content", "drop_span"] as const;
export type VerdictAction = (typeof verdictActions)[number];

/** What becomes of a span that a verdict speaks against, before it is stored. */
export type OnVerdict = { evaluator: string; action: VerdictAction; on_failure?: "drop_content" | "keep"; on_uncertain?: "drop_content" | "keep" };

export type Setup = {
  id: string;
  external_id: string;
  init_rules: Rule[];
  evaluators: SetupEvaluator[];
  status: Status;
  created_at: string;
  updated_at: string;
  min_spans?: number;
  max_cost_per_day?: number;
  deadline_sec?: number;
  other_languages?: string;
  on_verdict?: OnVerdict[];
  paused?: boolean;
  paused_since?: string;
  resumed_at?: string;
};

export type EvaluatorCounts = {
  evaluator_type: string;
  status: Status;
  error_message?: string;
  seen: number;
  matched: number;
  sampled_out: number;
  skipped: Record<string, number>;
  uncertain: number;
  deferred: number;
  done: number;
  failed: number;
  cost: number;
  last_error?: string;
  last_run?: string;
};

export type SetupStatus = {
  id: string;
  status: Status;
  seen: number;
  matched: number;
  owed: number;
  cost: number;
  spent_today: number;
  max_cost_per_day?: number;
  evaluators: EvaluatorCounts[];
  dead?: { since: string; spans: number; stops_at?: number; sentence: string };
  paused?: boolean;
  paused_since?: string;
  resumed_at?: string;
};

/** What a monitor is asked to be. */
export type Wish = {
  external_id: string;
  selector: Rule[];
  evaluators: { evaluator_type: string; config?: Record<string, unknown>; input_mapping?: Record<string, unknown>; sample_rate?: number; backend?: string }[];
  min_spans: number | null;
  max_cost_per_day: number | null;
  deadline_sec: number | null;
  on_verdict: OnVerdict[] | null;
};

export type Preview = {
  spans: number;
  matched: number;
  truncated: boolean;
  evaluators: { evaluator_type: string; status: "ready" | "needs_model" | "failed"; error_message?: string; missing: Record<string, number> }[];
  samples: {
    trace_id: string;
    span_id: string;
    timestamp: number;
    span_name: string;
    evaluators: { evaluator_type: string; sampled: boolean; inputs: Record<string, string>; missing: string[] }[];
  }[];
};

export type Funnel = {
  spans: number;
  matched: number;
  truncated: boolean;
  rules: { key: string; source: string; operator: RuleOperator; wanted: string[]; passed: number }[];
  stops_at?: number;
  sentence: string;
};

export type Backfill = {
  id: string;
  from_timestamp_sec: number;
  to_timestamp_sec: number;
  status: "pending" | "running" | "completed" | "cancelled" | "failed";
  total: number;
  seen: number;
  matched: number;
  error_message?: string;
  created_at: string;
  updated_at: string;
};

const all = api + "/auto-monitor-setups";
const pathOf = (name: string) => `${all}/${encodeURIComponent(name)}`;

export const readSetups = (environment: string, signal: AbortSignal) => ask<Setup[]>(all, { environment, signal });
export const readStatus = (environment: string, name: string, signal: AbortSignal) => ask<SetupStatus>(pathOf(name) + "/status", { environment, signal });
export const readBackfills = (environment: string, name: string, signal: AbortSignal) => ask<Backfill[]>(pathOf(name) + "/backfill", { environment, signal });

/** A setup, and the version of it that a change may name. */
export type Versioned = { setup: Setup; tag: string };

export async function readSetup(environment: string, name: string, signal: AbortSignal): Promise<Versioned> {
  let tag = "";
  const setup = await ask<Setup>(pathOf(name), { environment, signal, onHeaders: (h) => (tag = h.get("ETag") ?? "") });
  return { setup, tag };
}

export const readFunnel = (environment: string, name: string, from: number, signal: AbortSignal, to?: number) =>
  ask<Funnel>(`${pathOf(name)}/funnel?from_timestamp_sec=${from}${to === undefined ? "" : `&to_timestamp_sec=${to}`}`, { environment, signal });

export const preview = (environment: string, wish: Omit<Wish, "external_id">, from: number, signal: AbortSignal) =>
  ask<Preview>(all + "/preview", { method: "POST", environment, signal, body: { ...wish, from_timestamp_sec: from, limit: 5 } });

/** A copy without what is not asked for. */
const asked = (wish: Partial<Wish>) => Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== null));

/** The command that makes a setup, or changes one that is still the version with the tag. */
export const createCurl = (wish: Wish) => curlOf("POST", all, asked(wish));
export const replaceCurl = (name: string, tag: string, change: Partial<Wish>) => curlOf("PUT", pathOf(name), change, { "If-Match": tag });

export const create = (environment: string, wish: Wish) => ask<Setup>(all, { method: "POST", environment, body: wish });

/** Changes a setup that is still the version with the tag; 412 where another user was faster. */
export async function replace(environment: string, name: string, tag: string, change: Partial<Wish> & { paused?: boolean }): Promise<Versioned> {
  let now = "";
  const setup = await ask<Setup>(pathOf(name), { method: "PUT", environment, body: change, ifMatch: tag, onHeaders: (h) => (now = h.get("ETag") ?? "") });
  return { setup, tag: now };
}

export const remove = (environment: string, name: string) => ask<void>(pathOf(name), { method: "DELETE", environment });

export const backfill = (environment: string, name: string, from: number, to: number | undefined) =>
  ask<Backfill>(pathOf(name) + "/backfill", { method: "POST", environment, body: { from_timestamp_sec: from, to_timestamp_sec: to } });

export const cancelBackfill = (environment: string, name: string, id: string) =>
  ask<Backfill>(`${pathOf(name)}/backfill/${encodeURIComponent(id)}`, { method: "DELETE", environment });
