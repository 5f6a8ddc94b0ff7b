// SPDX-License-Identifier: Apache-2.0

// The screens that there are, in the order of the menu.

import type { ComponentType } from "preact";
import { EnvironmentScreen } from "../environment/screen";
import { texts } from "../texts";

export type Screen = {
  /** First segment of the path. */
  path: string;
  title: string;
  /** The key after g. */
  key: string;
  component: ComponentType<{ environment: string }>;
};

export const screens: readonly Screen[] = [
  { path: "environment", title: texts.environment.title, key: "n", component: EnvironmentScreen },
];

/** Where somebody goes who did not say where. */
export const home = screens[0]!.path;
