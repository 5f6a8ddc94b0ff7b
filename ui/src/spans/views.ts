// SPDX-License-Identifier: Apache-2.0

// Views of spans that the user named, in this browser alone: a link is what one shares.

import { computed } from "@preact/signals";
import { keep, kept } from "../storage";
import type { Params } from "../url";

export type View = { name: string; params: Params };

export const mostViews = 50;
export const longestName = 80; // characters

/** What of an address belongs to a view: not the environment, nor what is open. */
const saved = ["t", "from", "to", "filters", "sort", "order", "cols", "live"] as const;

/** Reads what is kept; what cannot be read is left out. */
export function viewsOf(text: string): View[] {
  try {
    const list: unknown = JSON.parse(text);
    if (!Array.isArray(list)) return [];
    return list.slice(0, mostViews).flatMap((v: unknown) => {
      const { name, params } = (v ?? {}) as { name?: unknown; params?: unknown };
      if (typeof name !== "string" || name === "" || typeof params !== "object" || params === null) return [];
      return [{ name: name.slice(0, longestName), params: only(params as Record<string, unknown>) }];
    });
  } catch {
    return [];
  }
}

const only = (params: Readonly<Record<string, unknown>>): Params =>
  Object.fromEntries(saved.flatMap((name) => (typeof params[name] === "string" && params[name] !== "" ? [[name, params[name]]] : [])));

export const views = computed(() => viewsOf(kept("views").value));

const write = (list: readonly View[]) => keep("views", list.length === 0 ? "" : JSON.stringify(list));

/** Keeps a view, in the place of one of that name. */
export function saveView(name: string, params: Params) {
  const others = views.value.filter((v) => v.name !== name);
  write([...others, { name: name.slice(0, longestName), params: only(params) }].slice(-mostViews));
}

export const removeView = (name: string) => write(views.value.filter((v) => v.name !== name));
