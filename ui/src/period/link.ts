// SPDX-License-Identifier: Apache-2.0

import { format, type Params, place } from "../url";
import { boundsOf, type Named, periodOf } from "./period";

/** The address of what is shown, with a period that stays what it is now; otherwise is the one that is shown where the address names none. */
export function absoluteLink(otherwise: Named | undefined, more: Params = {}): string {
  const { path, params } = place.value;
  const period = params.t || otherwise !== undefined ? periodOf(params, otherwise ?? "1h") : undefined;
  const bounds = period === undefined ? undefined : boundsOf(period);
  const fixed = bounds === undefined ? {} : { t: "", from: String(bounds.from), to: String(bounds.to ?? Math.ceil(Date.now() / 1000)) };
  return location.origin + format({ path, params: { ...params, ...fixed, ...more } });
}
