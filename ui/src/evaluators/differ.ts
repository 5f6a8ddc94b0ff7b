// SPDX-License-Identifier: Apache-2.0

import type { Tried } from "../api/evaluators";

/** Whether the backends of the last run came to different outputs that are no free text. */
export function differ(list: readonly { run: number; done?: Tried }[]): boolean {
  const last = list.filter((r) => r.run === list[0]?.run && r.done !== undefined);
  const said = last.map((r) => JSON.stringify(Object.entries(r.done?.outputs ?? {}).filter(([, v]) => typeof v === "boolean").sort()));
  return new Set(last.map((r) => r.done?.backend)).size > 1 && new Set(said).size > 1;
}
