// SPDX-License-Identifier: Apache-2.0

// What the user chose for this browser: theme, time zone, single keys.

import { computed, effect } from "@preact/signals";
import { keep, kept } from "../storage";

const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

export const theme = computed<Theme>(() => themes.find((t) => t === kept("theme").value) ?? "system");

export function nextTheme() {
  keep("theme", themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "system");
}

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});

export type Zone = "utc" | "local";

/** The zone of the reader, until UTC is wanted. */
export const zone = computed<Zone>(() => (kept("zone").value === "utc" ? "utc" : "local"));

export function nextZone() {
  keep("zone", zone.value === "utc" ? "local" : "utc");
}

/** What the zone of this computer is called in short just now. */
function localName(): string {
  const part = new Intl.DateTimeFormat("en", { timeZoneName: "short" }).formatToParts(new Date()).find((p) => p.type === "timeZoneName");
  return part?.value ?? "UTC";
}

/** What the zone is called in which times are shown. */
export const zoneName = computed(() => (zone.value === "utc" ? "UTC" : localName()));

/** Whether rows of lists stand close. */
export const compact = computed(() => kept("density").value === "compact");

export function setCompact(on: boolean) {
  keep("density", on ? "compact" : "");
}

effect(() => {
  document.documentElement.dataset.density = compact.value ? "compact" : "";
});

/** Whether single keys do something: https://www.w3.org/TR/WCAG22/#character-key-shortcuts */
export const singleKeys = computed(() => kept("keys").value !== "off");

export function setSingleKeys(on: boolean) {
  keep("keys", on ? "" : "off");
}
