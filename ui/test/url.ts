// SPDX-License-Identifier: Apache-2.0

import { format, type Params, parse, safeNext } from "../src/url";
import { equal, numbers, oddText } from "./check";

export function testURL() {
  const random = numbers(7);
  for (let i = 0; i < 5000; i++) {
    const path: string[] = [];
    for (let n = random(4); n > 0; n--) {
      const segment = oddText(random, 4);
      if (segment !== "" && segment !== "." && segment !== "..") path.push(segment);
    }
    const params: Record<string, string> = {};
    for (let n = random(4); n > 0; n--) {
      const [name, value] = [oddText(random, 3), oddText(random, 6)];
      if (name !== "" && name !== "__proto__" && value !== "") params[name] = value;
    }
    for (const root of ["/ui", "/tools/touchstone/ui"]) {
      const text = format({ path, params }, root);
      const url = new URL(text, "http://localhost");
      const again = parse(url.pathname, url.search, root);
      equal(again.path, path, text);
      equal(sorted(again.params), sorted(params), text);
      equal(format(again, root), text, "written again");
    }
  }
  equal(parse("/ui/%ff/x", "?a=1&a=2&b=%ff", "/ui").path, [], "a segment that is not UTF-8 ends the path");
  equal(parse("/ui/x", "?a=1&a=2", "/ui").params.a, "1", "the first value counts");
  equal(parse("/elsewhere/x", "", "/ui").path, [], "another place");
  equal(parse("/ui/x", "?__proto__=y", "/ui").params.toString, undefined, "a parameter is nothing but itself");

  const here = "http://localhost:8080";
  for (const good of ["/ui/spans", "/ui/spans?t=1h&filters=%5B%5D", "/ui/traces/a%2Fb"]) equal(safeNext(good, here, "/ui"), good, good);
  for (const bad of ["", "/", "/ui", "/uix/", "/v2/me", "//example.com/ui/", "/\\example.com/ui/", "http://localhost:8080/ui/x", "https://localhost:8080/ui/", "javascript:x", "/ui/../v2/me", "ui/x", "/ui/%2e%2e/v2", "\t//example.com/ui/"])
    equal(safeNext(bad, here, "/ui"), undefined, bad);
}

const sorted = (params: Params) => Object.entries(params).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
