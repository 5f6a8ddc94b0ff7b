// SPDX-License-Identifier: Apache-2.0

// What the URL says of a trace.

import { type Tab, tabOf } from "../span/tab";
import type { Params } from "../url";
import { type Show, shows } from "./model";

export const views = ["tree", "conversation", "spans"] as const;
export type View = (typeof views)[number];

export type Wanted = { span: string; tab: Tab; view: View; show: Show; q: string; at: number | undefined };

/** Reads the parameters of the URL; what cannot be read counts as absent. */
export function wanted(params: Params): Wanted {
  const at = Number(params.at ?? NaN);
  return {
    span: params.span ?? "",
    tab: tabOf(params.tab),
    view: views.find((v) => v === params.view) ?? "tree",
    show: shows.find((s) => s === params.show) ?? "all",
    q: params.q ?? "",
    at: Number.isSafeInteger(at) && at > 0 ? at : undefined,
  };
}
