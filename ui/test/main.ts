// SPDX-License-Identifier: Apache-2.0

import { complaints } from "./check";
import { testMonitors } from "./monitors";
import { testSpans } from "./spans";
import { testText } from "./text";
import { testTrace } from "./trace";
import { testURL } from "./url";

testURL();
testText();
testSpans();
testMonitors();
testTrace();

Object.assign(globalThis, { complaints });
