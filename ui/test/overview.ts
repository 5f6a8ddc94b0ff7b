// SPDX-License-Identifier: Apache-2.0

import { delaysOf } from "../src/overview/attention";
import { equal } from "./check";

export function testOverview() {
  const times = [0, 300, 600, 900, 1200, 1500, 1800];
  const ends = (...late: (number | null)[]) => times.map((at, i) => { const by = late[i] ?? null; return by === null ? null : (at + 300 + by) * 1e9; });
  equal(delaysOf(times, 300, ends(-10, 2, 59, null, 0, 1, 2)), [], "nothing is late");
  equal(delaysOf(times, 300, ends(1, 200, 90, 1, null, 70, 1)), [{ from: 300, to: 900, by: 200 }, { from: 1500, to: 1800, by: 70 }], "two times");
  equal(delaysOf(times, 300, ends(90_000, 7200, 3601)), [], "old spans were evaluated by a backfill");
}
