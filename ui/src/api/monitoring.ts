// SPDX-License-Identifier: Apache-2.0

// How far evaluation is behind.

import { api } from "../place";
import { send } from "./http";

export type MonitoringStatus = { lag_in_seconds: number; lag_in_spans: number; status: string; reasons: string[] };

/** Asked for in the background, so a session that ended is left for others to notice. */
export const readMonitoringStatus = (environment: string, signal: AbortSignal) =>
  send<MonitoringStatus>(api + "/monitoring/status", { environment, signal });
