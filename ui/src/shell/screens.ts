// SPDX-License-Identifier: Apache-2.0

// The screens that there are, in the order of the menu.

import type { ComponentType } from "preact";
import { EnvironmentScreen } from "../environment/screen";
import type { Named } from "../period/period";
import { operator } from "../session";
import { SpansScreen } from "../spans/screen";
import { texts } from "../texts";
import { later } from "./later";

export type Screen = {
  /** First segment of the path. */
  path: string;
  /** Whether it shows what the rest of the path names, where another screen shows the path alone. */
  named?: boolean;
  title: string;
  /** The menu's entry that it belongs to, where that is not its own. */
  entry?: string;
  /** The key after g; a screen without one needs more than its path and is not in the menu. */
  key?: string;
  /** Whether it shows what the access token may not see. */
  needsEnvironment: boolean;
  /** Whether it is for the access token alone. */
  needsOperator?: boolean;
  component: ComponentType<{ environment: string }>;
  /** The period that it shows where the address names none. */
  period?: Named;
  /** Loads the screen before it is shown, where it is in a file of its own. */
  ahead?: () => Promise<void>;
};

export const screens: readonly Screen[] = [
  { path: "overview", key: "w", needsEnvironment: true, period: "24h", ...later(texts.overview.title, async () => (await import("../overview/screen")).OverviewScreen) },
  { path: "traces", key: "t", entry: texts.explore.title, needsEnvironment: true, period: "24h", ...later(texts.explore.lists.traces, async () => (await import("../explore/screen")).TracesScreen) },
  { path: "conversations", key: "c", entry: texts.explore.title, needsEnvironment: true, period: "24h", ...later(texts.explore.lists.conversations, async () => (await import("../explore/screen")).ConversationsScreen) },
  { path: "spans", key: "s", entry: texts.explore.title, title: texts.spans.title, needsEnvironment: true, component: SpansScreen, period: "1h" },
  { path: "traces", named: true, entry: texts.explore.title, needsEnvironment: true, ...later(texts.trace.title, async () => (await import("../trace/screen")).TraceScreen) },
  { path: "conversations", named: true, entry: texts.explore.title, needsEnvironment: true, ...later(texts.explore.conversation, async () => (await import("../trace/screen")).ConversationScreen) },
  { path: "monitors", key: "m", needsEnvironment: true, ...later(texts.monitors.title, async () => (await import("../monitors/screen")).MonitorsScreen) },
  { path: "verdicts", key: "v", needsEnvironment: true, period: "24h", ...later(texts.trends.title, async () => (await import("../verdicts/screen")).VerdictsScreen) },
  { path: "review", key: "r", needsEnvironment: true, period: "24h", ...later(texts.review.title, async () => (await import("../review/screen")).ReviewScreen) },
  { path: "alerts", key: "a", needsEnvironment: true, ...later(texts.alerts.title, async () => (await import("../alerts/screen")).AlertsScreen) },
  { path: "organizations", key: "o", needsEnvironment: false, needsOperator: true, ...later(texts.organizations.title, async () => (await import("../organizations/screen")).OrganizationsScreen) },
  { path: "evaluators", key: "e", needsEnvironment: true, ...later(texts.evaluators.title, async () => (await import("../evaluators/screen")).EvaluatorsScreen) },
  { path: "health", key: "h", needsEnvironment: false, ...later(texts.health.title, async () => (await import("../health/screen")).HealthScreen) },
  { path: "environment", title: texts.environment.title, key: "n", needsEnvironment: false, component: EnvironmentScreen },
];

/** The screens that a key of an environment, or the access token, can show. */
export const screensOf = (environment: string) => 
  screens.filter((s) => (environment === operator ? !s.needsEnvironment : s.needsOperator !== true));

/** The screen that shows what a path says, if there is one. */
export function screenOf(list: readonly Screen[], path: readonly string[]): Screen | undefined {
  const own = list.filter((s) => s.path === path[0]);
  return (path.length > 1 ? own.find((s) => s.named) : undefined) ?? own.find((s) => !s.named);
}

const entryOf = (s: Screen | undefined) => s?.entry ?? s?.title ?? "";

/** The entries of the menu, each of which leads to its first screen, and whether they show what a path says. */
export function menuOf(environment: string, path: readonly string[]) {
  const all = screensOf(environment);
  const entry = entryOf(screenOf(all, path));
  const heads = all.filter((s, i) => s.key !== undefined && all.findIndex((o) => entryOf(o) === entryOf(s)) === i);
  return heads.map((s) => ({ path: s.path, title: entryOf(s), current: entryOf(s) === entry }));
}

/** Where a user goes who did not say where. */
export const homeOf = (environment: string) => screensOf(environment)[0]?.path ?? "environment";

const idle = () => new Promise<unknown>((done) => ("requestIdleCallback" in window ? requestIdleCallback(done, { timeout: 10_000 }) : setTimeout(done, 200)));

/** Loads the screens that are in files of their own, one after the other while the browser has nothing else to do, so that no user waits for them. */
export async function loadAhead(environment: string) {
  for (const s of screensOf(environment)) {
    if (s.ahead === undefined) continue;
    await idle();
    await s.ahead();
  }
}
