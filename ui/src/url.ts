// SPDX-License-Identifier: Apache-2.0

// The URL is the state of what is shown: a path below the UI's, and parameters.

import { computed, effect, signal } from "@preact/signals";
import { base } from "./place";

export type Params = Readonly<Record<string, string>>;

export type Place = {
  /** Segments of the path below the UI's, decoded. */
  path: readonly string[];
  params: Params;
};

/** Reads a URL of the UI; segments and parameters that are not valid are left out. */
export function parse(pathname: string, search: string, root: string = base): Place {
  const inside = pathname.startsWith(root + "/") ? pathname.slice(root.length + 1) : "";
  const path: string[] = [];
  for (const segment of inside.split("/")) {
    if (segment === "") continue;
    try {
      path.push(decodeURIComponent(segment));
    } catch {
      break;
    }
  }
  const params: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(search)) {
    if (!(name in params)) params[name] = value;
  }
  return { path, params };
}

/** Writes what parse reads. Parameters that are empty are left out; names are in order. */
export function format(place: Place, root: string = base): string {
  const search = new URLSearchParams();
  for (const name of Object.keys(place.params).sort()) {
    const value = place.params[name];
    if (value !== undefined && value !== "") search.append(name, value);
  }
  const text = search.toString();
  return root + "/" + place.path.map(encodeURIComponent).join("/") + (text === "" ? "" : "?" + text);
}

/** Where to go after signing in: a path of the UI on the own origin, or undefined. */
export function safeNext(next: string | undefined, origin: string, root: string = base): string | undefined {
  if (next === undefined || next === "") return undefined;
  let url: URL;
  try {
    url = new URL(next, origin);
  } catch {
    return undefined;
  }
  if (url.origin !== origin || !url.pathname.startsWith(root + "/")) return undefined;
  if (!next.startsWith("/") || next.startsWith("//") || next.includes("\\")) return undefined;
  return url.pathname + url.search;
}

const shown = signal(parse(location.pathname, location.search));

addEventListener("popstate", () => {
  shown.value = parse(location.pathname, location.search);
});

/** What the address bar says. */
export const place = computed(() => shown.value);

/** Goes to a URL of the UI: as a new entry of the history, or in place of the present one. */
export function go(href: string, how: "push" | "replace" = "push") {
  if (how === "push") history.pushState(null, "", href);
  else history.replaceState(null, "", href);
  shown.value = parse(location.pathname, location.search);
}

/** Lists that lead to traces. */
const lists = ["conversations", "traces", "spans"] as const;
export type List = (typeof lists)[number];

const listShown = signal<{ list: List; params: Params }>({ list: "traces", params: {} });

effect(() => {
  const { path, params } = shown.value;
  const list = path.length === 1 ? lists.find((l) => l === path[0]) : undefined;
  if (list !== undefined) listShown.value = { list, params };
});

/** The list that was shown last in this tab, with nothing open. */
export const listBefore = computed(() => {
  const { env } = shown.value.params;
  const { list, params } = listShown.value;
  const rest = params.env === env || params.env === undefined ? params : {};
  return { list, href: format({ path: [list], params: { ...rest, ...(env === undefined ? {} : { env }), sel: "", tab: "" } }) };
});

/** The URL of a screen, with the chosen environment. */
export function link(path: readonly string[], params: Params = {}): string {
  const env = shown.value.params.env;
  return format({ path, params: env === undefined ? params : { env, ...params } });
}

/** Changes parameters of what is shown; an empty one is taken away. */
export function change(params: Params, how: "push" | "replace" = "push") {
  go(format({ path: shown.value.path, params: { ...shown.value.params, ...params } }), how);
}
