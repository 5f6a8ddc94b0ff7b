// SPDX-License-Identifier: Apache-2.0

import { indented } from "../src/text/json";
import { messagesOf, partsOf } from "../src/text/messages";
import { build, hasChildren, narrow, shown, sums, withAncestors } from "../src/trace/tree";
import { complaints, equal, numbers, oddText } from "./check";

const list = (a: ArrayLike<number>) => Array.from(a);

function testTree() {
  const t = build([-1, 0, 0, 1, -2, 4]);
  equal(list(t.order), [0, 1, 3, 2, 4, 5], "each span before those below it, by start");
  equal(list(t.depth), [0, 1, 1, 2, 0, 1], "depth");
  equal(list(t.after), [4, 3, 3, 4, 6, 6], "ends");
  equal([list(t.place), list(t.siblings)], [[1, 1, 2, 1, 2, 1], [2, 2, 2, 1, 2, 1]], "places");
  equal(list(shown(t, (s) => s === 1 || s === 4)), [0, 1, 2, 4], "folded");
  equal([0, 1, 2, 3].map((s) => hasChildren(t, s)), [true, true, false, false], "children");
  equal(list(sums(t, [1, 0, 2, 4, 8, 16])), [7, 4, 2, 4, 24, 16], "sums");
  equal(list(withAncestors(t, Uint8Array.of(0, 0, 0, 1, 0, 0))), [1, 1, 0, 1, 0, 0], "ancestors");
  const some = narrow(t, Uint8Array.of(1, 0, 1, 1, 0, 1));
  equal([list(some.order), list(some.parent)], [[0, 2, 3, 5], [-1, -1, 0, 0, -1, -1]], "what is left out between is passed over");

  const round = build([2, 0, 1, 0, 3]); // 0, 2 and 1 in a circle
  equal([list(round.order), list(round.circle)], [[0, 1, 2, 3, 4], [1, 0, 0, 0, 0]], "a circle begins with its first span");
  equal(list(build([0, 1]).order), [0, 1], "parents of themselves");
  equal(list(build([9, -7, NaN]).order), [0, 1, 2], "parents that cannot be");
  equal(list(build([]).order), [], "nothing");
  equal(list(build([1, -1]).order), [1, 0], "a child that starts before its parent");

  const random = numbers(5);
  for (let round = 0; round < 40; round++) {
    const n = round === 0 ? 50_000 : random(60);
    const parents = Array.from({ length: n }, () => random(n + 2) - 2);
    const tree = build(parents);
    equal(list(tree.order).sort((a, b) => a - b).every((s, i) => s === i), true, "every span once");
    equal(tree.order.length, n, "all spans");
    let wrong = 0;
    for (let row = 0; row < n; row++) {
      const span = tree.order[row]!;
      const above = tree.parent[span]!;
      if (above >= 0 && (tree.row[above]! >= row || tree.after[tree.row[above]!]! <= row || tree.depth[span] !== tree.depth[above]! + 1)) wrong++;
      if (above !== parents[span] && parents[span]! >= 0 && tree.circle[span] !== 1) wrong++;
    }
    equal(wrong, 0, "below its parent");
  }
  const deep = build(Array.from({ length: 50_000 }, (_, i) => i - 1));
  equal(deep.depth[49_999], 49_999, "deep");
}

function testMessages() {
  const p = "llm.prompts.";
  const found = messagesOf(
    {
      [p + "10.role"]: "tool", [p + "10.content"]: "{}", [p + "10.tool_call_id"]: "c1",
      [p + "2.role"]: "assistant", [p + "2.tool_calls.1.name"]: "b", [p + "2.tool_calls.0.name"]: "a", [p + "2.tool_calls.0.id"]: "c1",
      [p + "2.tool_calls.0.arguments"]: '{"x":1}', [p + "0.role"]: "user", [p + "0.content"]: "a\n\nb", [p + "0.name"]: "n",
      [p + "x.role"]: "no number", [p + "__proto__.role"]: "x", "llm.request.functions.0.name": "f",
    },
    p,
  );
  equal(found.map((m) => m.role), ["user", "assistant", "tool"], "by number");
  equal(found[0]?.parts, [{ kind: "text", text: "a\n\nb" }], "line breaks stay");
  equal(found[0]?.rest, [["name", "n"]], "the rest");
  equal(found[1]?.calls.map((c) => [c.id, c.name, c.arguments]), [["c1", "a", '{"x":1}'], ["", "b", ""]], "calls");
  equal(found[1]?.calls[0]?.field, p + "2.tool_calls.0.arguments", "where a call stands");
  equal(found[2]?.answers, "c1", "answer");
  equal(partsOf('[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]'),
    [{ kind: "text", text: "see" }, { kind: "other", type: "image_url", characters: 26 }], "parts");
  for (const plain of ["[1,2]", "[]", '[{"a":1}]', "[{", "null", '{"type":"text"}'])
    equal(partsOf(plain), [{ kind: "text", text: plain }], "text that only looks like parts: " + plain);
  equal(partsOf(""), [], "nothing");

  const random = numbers(3);
  for (let i = 0; i < 2000; i++) {
    const attributes: Record<string, string> = {};
    for (let n = random(6); n > 0; n--) attributes[p + random(3) + "." + ["role", "content", "tool_calls.0.name", oddText(random, 3)][random(4)]] = oddText(random, 9);
    messagesOf(attributes, p);
  }
}

function testJSON() {
  equal(indented('{"a":[1,{"b":"x:{,"}],"c":{}}'), '{\n  "a": [\n    1,\n    {\n      "b": "x:{,"\n    }\n  ],\n  "c": {}\n}', "indents");
  equal(indented('{"n":12345678901234567890.10,"s":"\\u003c\\""}'), '{\n  "n": 12345678901234567890.10,\n  "s": "\\u003c\\""\n}', "as it was written");
  for (const other of ["", "1", '"x"', "{", "[1,]", "x {}", "null"]) equal(indented(other), undefined, "no JSON: " + other);
  const random = numbers(9);
  for (let i = 0; i < 1000; i++) {
    const value = { a: oddText(random, 8), b: [random(9), null, { [oddText(random, 4)]: oddText(random, 4) }] };
    const text = indented(JSON.stringify(value));
    if (text === undefined) complaints.push("lost");
    else equal(JSON.parse(text), JSON.parse(JSON.stringify(value)), "the same value");
  }
}

export function testTrace() {
  testTree();
  testMessages();
  testJSON();
}
