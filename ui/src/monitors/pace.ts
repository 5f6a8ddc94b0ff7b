// SPDX-License-Identifier: Apache-2.0

import type { Backfill } from "../api/monitors";
import { texts } from "../texts";
import { duration, number } from "../text/format";

/** How fast a backfill goes on, and how long it takes at that; nothing before it has begun. */
export function paceOf(b: Backfill): string {
  const seconds = (Date.parse(b.updated_at) - Date.parse(b.created_at)) / 1000;
  if (b.status !== "running" || b.seen === 0 || seconds <= 0 || b.total <= b.seen) return "";
  const rate = b.seen / seconds;
  return texts.monitors.pace(number(rate), duration(((b.total - b.seen) / rate) * 1000));
}
