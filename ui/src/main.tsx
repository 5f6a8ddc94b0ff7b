// SPDX-License-Identifier: Apache-2.0

import { signal } from "@preact/signals";
import { render } from "preact";
import "./style.css";

const title = signal("Touchstone");

render(<h1>{title}</h1>, document.getElementById("app")!);
