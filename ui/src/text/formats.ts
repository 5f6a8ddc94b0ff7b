// SPDX-License-Identifier: Apache-2.0

// What the messages of each role are shown as, which this browser remembers.

import { keep, kept } from "../storage";

export const formats = ["text", "markdown", "json"] as const;
export type Format = (typeof formats)[number];

/** The roles whose choice is kept; others share one: roles are texts of applications. */
const roles = ["system", "developer", "user", "assistant", "tool"];
const roleOf = (role: string) => (roles.includes(role.toLowerCase()) ? role.toLowerCase() : "other");

/** Reads "user=markdown,tool=json"; what cannot be read counts as absent. */
function chosen(): Map<string, Format> {
  const map = new Map<string, Format>();
  for (const part of kept("formats").value.split(",")) {
    const [role, format] = part.split("=");
    const known = formats.find((f) => f === format);
    if (role !== undefined && known !== undefined) map.set(role, known);
  }
  return map;
}

/** What messages of a role are shown as: answers of tools as JSON, others as text, unless the user chose otherwise. */
export const formatOf = (role: string): Format => chosen().get(roleOf(role)) ?? (roleOf(role) === "tool" ? "json" : "text");

export function keepFormat(role: string, format: Format) {
  const map = chosen().set(roleOf(role), format);
  keep("formats", [...map].map(([r, f]) => `${r}=${f}`).join(","));
}
