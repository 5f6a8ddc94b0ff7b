// SPDX-License-Identifier: Apache-2.0

// How long an environment keeps spans.

import { api } from "../place";
import { ask } from "../session";

export type Retention = { retention_hours: number; max_retention_hours: number };

export const readRetention = (environment: string, signal: AbortSignal) => ask<Retention>(api + "/retention", { environment, signal });

/** Sets the retention in hours. A text in place of a number goes to the API as it is. */
export const setRetention = (environment: string, hours: number | string | undefined) =>
  ask<Retention>(api + "/retention", { method: "PUT", environment, body: { retention_hours: hours } });
