// SPDX-License-Identifier: Apache-2.0

import { render } from "preact";
import { load } from "./session";
import { App } from "./shell/app";
import "./style.css";

render(<App />, document.getElementById("app")!);
void load();
