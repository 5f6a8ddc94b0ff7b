// SPDX-License-Identifier: Apache-2.0

import "./style.css";
// Of two rules that are equally exact the later one counts, so that this order must
// not depend on which screens are loaded later.
import "./form/form.css";
import "./verdict/verdict.css";
import "./evaluators/evaluators.css";
import "./chart/chart.css";
import "./monitors/monitors.css";
import { render } from "preact";
import { load } from "./session";
import { App } from "./shell/app";
import { screens } from "./shell/screens";
import { place } from "./url";

render(<App />, document.getElementById("app")!);
void load();
void screens.find((s) => s.path === place.value.path[0])?.ahead?.(); // it need not wait for the session
