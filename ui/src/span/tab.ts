// SPDX-License-Identifier: Apache-2.0

/** The parts of a span, of which one is shown. */
export const tabs = ["talk", "verdicts", "attributes", "events", "raw"] as const;
export type Tab = (typeof tabs)[number];

/** The part that the URL names. */
export const tabOf = (name: string | undefined): Tab => tabs.find((t) => t === name) ?? "talk";
