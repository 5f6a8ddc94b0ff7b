// SPDX-License-Identifier: Apache-2.0

// Alerts: figures that are watched, how they are, and what was sent.

import { api } from "../place";
import { ask } from "../session";
import type { Filter } from "./spans";

export const metrics = ["failing_share", "mean_score", "error_rate", "duration_p95", "cost", "total_tokens", "spans", "results", "evaluation_delay"] as const;
export type Metric = (typeof metrics)[number];

export const targetTypes = ["webhook", "slack", "alertmanager"] as const;
export type TargetType = (typeof targetTypes)[number];

export type Condition = { above?: number; below?: number; worse_than_usual?: boolean };

/** What a user wants to be watched. A text in place of a number goes to the API as it is, which says what is wrong with it. */
export type AlertWish = {
  name: string;
  metric: Metric;
  evaluator?: string;
  output?: string;
  setup_id?: string;
  filters?: readonly Filter[];
  q?: string;
  group_by: readonly string[];
  score_range?: readonly number[];
  window_sec: number;
  delay_sec: number;
  condition: Condition;
  no_data: "keep" | "alert";
  false_alarms: number;
  targets: readonly { name: string; type: TargetType; url?: string; secret?: string }[];
  paused: boolean;
};

/** The statuses of a group, those first that need a look. */
export const statuses = ["firing", "no_data", "learning", "ok"] as const;
export type AlertStatus = (typeof statuses)[number];

export type AlertGroup = {
  keys: string[];
  status: AlertStatus;
  since?: string;
  before?: AlertStatus;
  value: number | null;
  bound: number | null;
  low?: number;
  high?: number;
  traces: number;
  coverage: number | null;
};

export type ShownTarget = { name: string; type: TargetType; host: string; has_secret: boolean };

export type Alert = Omit<AlertWish, "targets"> & {
  id: string;
  targets: ShownTarget[];
  silenced_until?: string;
  silence_reason?: string;
  created_at: string;
  updated_at: string;
  status: AlertStatus;
  evaluated_until?: string;
  error_message?: string;
  groups: AlertGroup[];
  groups_ignored: boolean;
};

export type Delivery = { target: string; status: "sent" | "pending" | "failed"; attempts: number; sent_at?: string; next_attempt_at?: string; error?: string };

export type Notification = { id: string; time: string; silenced: boolean; groups: AlertGroup[]; deliveries: Delivery[] };

const all = api + "/alerts";
const pathOf = (name: string) => `${all}/${encodeURIComponent(name)}`;

export const readAlerts = (environment: string, signal: AbortSignal) => ask<Alert[]>(all, { environment, signal });
export const readAlert = (environment: string, name: string, signal: AbortSignal) => ask<Alert>(pathOf(name), { environment, signal });
export const readHistory = (environment: string, name: string, signal: AbortSignal) => ask<Notification[]>(pathOf(name) + "/history", { environment, signal });
/** A body without an empty group_by, which would count as a change of what is watched. */
const bodyOf = (wish: AlertWish) => ({ ...wish, group_by: wish.group_by.length === 0 ? undefined : wish.group_by });

export const createAlert = (environment: string, wish: AlertWish) => ask<Alert>(all, { method: "POST", environment, body: bodyOf(wish) });
export const replaceAlert = (environment: string, name: string, wish: AlertWish) => ask<Alert>(pathOf(name), { method: "PUT", environment, body: bodyOf(wish) });
export const removeAlert = (environment: string, name: string) => ask<void>(pathOf(name), { method: "DELETE", environment });
export const testAlert = async (environment: string, name: string) => (await ask<{ deliveries: Delivery[] }>(pathOf(name) + "/test", { method: "POST", environment })).deliveries;
export const silenceAlert = (environment: string, name: string, seconds: number, reason: string) =>
  ask<Alert>(pathOf(name) + "/silence", { method: "POST", environment, body: { duration_sec: seconds, reason } });
export const unsilenceAlert = (environment: string, name: string) => ask<Alert>(pathOf(name) + "/silence", { method: "DELETE", environment });

/** What is stored, as it is asked for again: the API keeps addresses and secrets of targets. */
export const wishOf = (a: Alert): AlertWish => ({
  name: a.name, metric: a.metric, group_by: a.group_by, window_sec: a.window_sec, delay_sec: a.delay_sec, condition: a.condition, no_data: a.no_data, false_alarms: a.false_alarms, paused: a.paused,
  targets: a.targets.map(({ name, type }) => ({ name, type })),
  ...(a.evaluator === undefined ? {} : { evaluator: a.evaluator }),
  ...(a.output === undefined ? {} : { output: a.output }),
  ...(a.setup_id === undefined ? {} : { setup_id: a.setup_id }),
  ...(a.filters === undefined ? {} : { filters: a.filters }),
  ...(a.q === undefined ? {} : { q: a.q }),
  ...(a.score_range === undefined ? {} : { score_range: a.score_range }),
});
