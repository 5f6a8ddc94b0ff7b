// SPDX-License-Identifier: Apache-2.0

// Evaluations of any status, across spans.

import { api } from "../place";
import { ask } from "../session";
import type { Verdict } from "./verdicts";

/** An evaluation, with what tells its span. */
export type Evaluation = Verdict & {
  trace_id: string;
  span_id: string;
  start_ns: string;
  span_name: string;
  attempts: number;
  time: string;
};

export type Sought = { from: number; setup?: string; evaluator?: string; status?: Verdict["status"]; limit: number };

/** The evaluations of the spans that started last. */
export const readEvaluations = (environment: string, of: Sought, signal: AbortSignal) =>
  ask<{ evaluations: Evaluation[]; next_cursor: string }>(api + "/evaluations/search", {
    method: "POST",
    environment,
    signal,
    body: { from_timestamp_sec: of.from, setup_id: of.setup, evaluator: of.evaluator, status: of.status, limit: of.limit },
  });
