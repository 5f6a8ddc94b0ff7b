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
  title: string;
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
  { path: "spans", title: texts.spans.title, key: "s", needsEnvironment: true, component: SpansScreen, period: "1h" },
  { path: "traces", needsEnvironment: true, ...later(texts.trace.title, async () => (await import("../trace/screen")).TraceScreen) },
  { path: "monitors", key: "m", needsEnvironment: true, ...later(texts.monitors.title, async () => (await import("../monitors/screen")).MonitorsScreen) },
  { path: "verdicts", key: "v", needsEnvironment: true, period: "24h", ...later(texts.trends.title, async () => (await import("../verdicts/screen")).VerdictsScreen) },
  { path: "review", key: "r", needsEnvironment: true, period: "24h", ...later(texts.review.title, async () => (await import("../review/screen")).ReviewScreen) },
  { path: "organizations", key: "o", needsEnvironment: false, needsOperator: true, ...later(texts.organizations.title, async () => (await import("../organizations/screen")).OrganizationsScreen) },
  { path: "evaluators", key: "e", needsEnvironment: true, ...later(texts.evaluators.title, async () => (await import("../evaluators/screen")).EvaluatorsScreen) },
  { path: "health", key: "h", needsEnvironment: false, ...later(texts.health.title, async () => (await import("../health/screen")).HealthScreen) },
  { path: "environment", title: texts.environment.title, key: "n", needsEnvironment: false, component: EnvironmentScreen },
];

/** The screens that a key of an environment, or the access token, can show. */
export const screensOf = (environment: string) => 
  screens.filter((s) => (environment === operator ? !s.needsEnvironment : s.needsOperator !== true));

/** Those of them that the menu shows. */
export const menuOf = (environment: string) => screensOf(environment).filter((s) => s.key !== undefined);

/** Where somebody goes who did not say where. */
export const homeOf = (environment: string) => screensOf(environment)[0]?.path ?? "environment";

const idle = () => new Promise<unknown>((done) => ("requestIdleCallback" in window ? requestIdleCallback(done, { timeout: 10_000 }) : setTimeout(done, 200)));

/** Loads the screens that are in files of their own, one after the other while the browser has nothing else to do, so that nobody waits for them. */
export async function loadAhead(environment: string) {
  for (const s of screensOf(environment)) {
    if (s.ahead === undefined) continue;
    await idle();
    await s.ahead();
  }
}
