// SPDX-License-Identifier: Apache-2.0

// What the URL says of a trace.

import type { Params } from "../url";
import { type Show, shows } from "./model";

export const tabs = ["talk", "verdicts", "attributes", "events", "raw"] as const;
export type Tab = (typeof tabs)[number];

export type Wanted = { span: string; tab: Tab; show: Show; q: string; at: number | undefined };

/** Reads the parameters of the URL; what cannot be read counts as absent. */
export function wanted(params: Params): Wanted {
  const at = Number(params.at ?? NaN);
  return {
    span: params.span ?? "",
    tab: tabs.find((t) => t === params.tab) ?? "talk",
    show: shows.find((s) => s === params.show) ?? "all",
    q: params.q ?? "",
    at: Number.isSafeInteger(at) && at > 0 ? at : undefined,
  };
}
