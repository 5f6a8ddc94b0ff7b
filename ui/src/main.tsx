// SPDX-License-Identifier: Apache-2.0

import "./style.css";
import { render } from "preact";
import { load } from "./session";
import { App } from "./shell/app";

render(<App />, document.getElementById("app")!);
void load();
