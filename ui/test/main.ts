// SPDX-License-Identifier: Apache-2.0

import { testAlerts } from "./alerts";
import { complaints } from "./check";
import { testMonitors } from "./monitors";
import { testOverview } from "./overview";
import { testSpans } from "./spans";
import { testText } from "./text";
import { testTrace } from "./trace";
import { testURL } from "./url";

testURL();
testText();
testSpans();
testMonitors();
testTrace();
testOverview();
testAlerts();

Object.assign(globalThis, { complaints });
