// SPDX-License-Identifier: Apache-2.0

import { complaints } from "./check";
import { testSpans } from "./spans";
import { testText } from "./text";
import { testURL } from "./url";

testURL();
testText();
testSpans();

Object.assign(globalThis, { complaints });
