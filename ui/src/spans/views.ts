// SPDX-License-Identifier: Apache-2.0

// What of an address is a saved view.

import type { Params } from "../url";

export const longestName = 80; // characters

/** What belongs to a view: not the environment, nor what is open. */
const saved = ["t", "from", "to", "filters", "sort", "order", "cols", "live", "by"] as const;

/** The parameters of a view as they are saved. */
export function queryOf(params: Params): string {
  const query = new URLSearchParams();
  for (const name of saved) {
    const value = params[name];
    if (value !== undefined && value !== "") query.set(name, value);
  }
  return query.toString();
}

/** The parameters of a saved view; what does not belong to one is left out. */
export function paramsOf(query: string): Params {
  const read = new URLSearchParams(query);
  return Object.fromEntries(saved.flatMap((name) => ((read.get(name) ?? "") === "" ? [] : [[name, read.get(name) ?? ""]])));
}
