// SPDX-License-Identifier: Apache-2.0

// How far evaluation is behind, and what monitors come to.

import { api } from "../place";
import { ask } from "../session";
import { send } from "./http";

export type MonitoringStatus = { lag_in_seconds: number; lag_in_spans: number; status: string; reasons: string[] };

/** Asked for in the background, so a session that ended is left for others to notice. */
export const readMonitoringStatus = (environment: string, signal: AbortSignal) =>
  send<MonitoringStatus>(api + "/monitoring/status", { environment, signal });

export type Counted = { evaluations: number; spans: number };

/** What one monitor did in the hours of the answer. */
export type SetupFigures = {
  id: string;
  spans: number;
  by_status: Readonly<Record<"done" | "uncertain" | "deferred" | "skipped" | "failed", Counted>>;
  /** Spans that an evaluation speaks against. */
  against: number;
  cost: number;
  last_run?: string;
  /** What waits, whenever it came. */
  owed: Counted;
  owed_since?: string;
  spent_today: number;
  series: { spans: number[]; cost: number[] };
};

export type MonitoredSetups = { from_timestamp_sec: number; step_sec: number; times: number[]; setups: SetupFigures[] };

/** Asks what all monitors did in the last 24 hours, hour by hour. */
export const readMonitored = (environment: string, signal: AbortSignal) => ask<MonitoredSetups>(api + "/monitoring/setups", { environment, signal });
