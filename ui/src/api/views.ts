// SPDX-License-Identifier: Apache-2.0

// Named lists that all who have a key of the environment share.

import { api } from "../place";
import { ask } from "../session";

export type View = { name: string; screen: "spans" | "traces" | "conversations"; query: string; updated_at: string };

const all = api + "/views";
const pathOf = (name: string) => `${all}/${encodeURIComponent(name)}`;

export const readViews = (environment: string, signal: AbortSignal) => ask<View[]>(all, { environment, signal });
export const saveView = (environment: string, name: string, view: Pick<View, "screen" | "query">) => ask<View>(pathOf(name), { method: "PUT", environment, body: view });
export const removeView = (environment: string, name: string) => ask<void>(pathOf(name), { method: "DELETE", environment });
