// SPDX-License-Identifier: Apache-2.0

// Everything that is kept in the browser. Nothing else is, and no text of spans.

import { signal, type Signal } from "@preact/signals";

const prefix = "touchstone.";

export type Kept = "token" | "environment" | "theme" | "zone" | "keys" | "formats" | "columns" | "density" | "reviewer" | "facets";

function read(name: Kept): string {
  try {
    return localStorage.getItem(prefix + name) ?? "";
  } catch {
    return ""; // the browser keeps nothing
  }
}

function write(name: Kept, value: string) {
  try {
    if (value === "") localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, value);
  } catch {
    // The browser keeps nothing: it holds until the page is closed.
  }
}

const known = new Map<Kept, Signal<string>>();

/** A value that is kept, "" where none is. It follows other tabs. */
export function kept(name: Kept): Signal<string> {
  let value = known.get(name);
  if (value === undefined) {
    value = signal(read(name));
    known.set(name, value);
  }
  return value;
}

export function keep(name: Kept, value: string) {
  write(name, value);
  kept(name).value = value;
}

addEventListener("storage", (e) => {
  for (const [name, value] of known) {
    if (e.key === prefix + name || e.key === null) value.value = read(name);
  }
});
