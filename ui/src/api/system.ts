// SPDX-License-Identifier: Apache-2.0

// How the process does, for the operator.

import { api } from "../place";
import { ask, operator } from "../session";

export type ModelState = {
  name: string;
  stopped: boolean;
  requests: number;
  mean_ms: number | null;
  errors: number;
  last_reason?: string;
  last_error_at?: string;
  prompt_tokens: number;
  completion_tokens: number;
  cost_usd: number;
};

/** What came of one minute; the last one is not over. */
export type Minute = {
  /** When it began, in Unix seconds. */
  at: number;
  spans: number;
  evaluations: number;
  refused_spans: number;
  /** Null where the stores could not say it. */
  owed_evaluations: number | null;
  store_bytes: number | null;
  memory_bytes: number;
  model_requests: number;
  model_errors: number;
  cost_usd: number;
};

export type System = {
  version: string;
  started_at: string;
  uptime_sec: number;
  problems: { name: string; message: string }[];
  store: { writable: boolean; files: number | null; bytes: number | null; free_bytes: number | null; days_left: number | null };
  intake: { spans: number; evaluations: number; refused_spans: number };
  /** Null where the stores cannot say it. */
  backlog: { evaluations: number; leased: number; oldest_owed_sec: number } | null;
  models: ModelState[];
  memory: { resident_bytes: number; heap_bytes: number; limit_bytes: number | null };
  minutes: Minute[];
};

export const readSystem = (signal: AbortSignal) => ask<System>(api + "/system", { environment: operator, signal });
