// SPDX-License-Identifier: Apache-2.0

// The screens that there are, in the order of the menu.

import type { ComponentType } from "preact";
import { EnvironmentScreen } from "../environment/screen";
import { EvaluatorsScreen } from "../evaluators/screen";
import { HealthScreen } from "../health/screen";
import { MonitorsScreen } from "../monitors/screen";
import { OrganizationsScreen } from "../organizations/screen";
import { operator } from "../session";
import { SpansScreen } from "../spans/screen";
import { texts } from "../texts";
import { TraceScreen } from "../trace/screen";
import { VerdictsScreen } from "../verdicts/screen";

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
};

export const screens: readonly Screen[] = [
  { path: "spans", title: texts.spans.title, key: "s", needsEnvironment: true, component: SpansScreen },
  { path: "traces", title: texts.trace.title, needsEnvironment: true, component: TraceScreen },
  { path: "monitors", title: texts.monitors.title, key: "m", needsEnvironment: true, component: MonitorsScreen },
  { path: "verdicts", title: texts.trends.title, key: "v", needsEnvironment: true, component: VerdictsScreen },
  { path: "organizations", title: texts.organizations.title, key: "o", needsEnvironment: false, needsOperator: true, component: OrganizationsScreen },
  { path: "evaluators", title: texts.evaluators.title, key: "e", needsEnvironment: true, component: EvaluatorsScreen },
  { path: "health", title: texts.health.title, key: "h", needsEnvironment: false, component: HealthScreen },
  { path: "environment", title: texts.environment.title, key: "n", needsEnvironment: false, component: EnvironmentScreen },
];

/** The screens that a key of an environment, or the access token, can show. */
export const screensOf = (environment: string) => 
  screens.filter((s) => (environment === operator ? !s.needsEnvironment : s.needsOperator !== true));

/** Those of them that the menu shows. */
export const menuOf = (environment: string) => screensOf(environment).filter((s) => s.key !== undefined);

/** Where somebody goes who did not say where. */
export const homeOf = (environment: string) => screensOf(environment)[0]?.path ?? "environment";
