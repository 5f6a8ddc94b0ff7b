// SPDX-License-Identifier: Apache-2.0

import { duration, moment } from "../src/text/format";
import { beginning, visible } from "../src/text/visible";
import { equal } from "./check";

export function testText() {
  equal(visible("a\u202eb\u200bc\u0000\ufeff\u{e0041}"), "a⟨U+202E⟩b⟨U+200B⟩c⟨U+0000⟩⟨U+FEFF⟩⟨U+E0041⟩", "marks");
  equal(visible("Grüße, 漢字 😀\n\tx"), "Grüße, 漢字 😀\n\tx", "what can be seen stays");
  equal(visible("\ud800x"), "⟨U+D800⟩x", "half a character");
  equal(beginning("a  b\n\nc", 10), "a b c", "one line");
  equal(beginning("😀😀😀", 2), "😀😀…", "whole characters");
  equal(duration(0), "0 ms", "duration");
  equal(duration(999), "999 ms", "duration");
  equal(duration(1234), "1.23 s", "duration");
  equal(duration(61_000), "1 min 1 s", "duration");
  equal(duration(119_999), "2 min", "duration");
  equal(duration(3_599_999), "1 h", "duration");
  equal(duration(2 * 3_600_000 + 5 * 60_000 + 59_000), "2 h 5 min", "duration");
  equal(duration(50 * 3_600_000), "2 d 2 h", "duration");
  equal(moment(0, "utc"), "1970-01-01 00:00:00.000", "time");
  equal(moment(NaN, "utc"), "", "no time");
}
