// SPDX-License-Identifier: Apache-2.0

import { encodedOf, fileOf, isPicture, pictureOf, withoutEncoded } from "../src/text/encoded";
import { isBranch, type Value, valuesOf } from "../src/text/json";
import { target } from "../src/text/markdown/link";
import { exchangesOf, type Message, messagesOf, partsOf } from "../src/text/messages";
import { criticalPath } from "../src/trace/path";
import { cutOf, cutWidth, placeIn, placeOf } from "../src/trace/time";
import { build, hasChildren, hidden, narrow, runsOf, shown, sums, withAncestors } from "../src/trace/tree";
import { differenceOf, transcriptOf } from "../src/trace/transcript";
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

function testRuns() {
  // a root with a, a (over b), a, c, a
  const t = build([-1, 0, 0, 2, 0, 0, 0]);
  const names = ["r", "a", "a", "b", "a", "c", "a"];
  const alike = (x: number, y: number) => names[x] === names[y];
  const runs = runsOf(t, alike, 2);
  equal([list(runs.head), list(runs.size)], [[-1, 1, 1, -1, 1, -1, -1], [0, 3, 0, 0, 0, 0, 0]], "one after the other");
  equal(list(shown(t, () => false, runs, () => true)), [0, 1, 5, 6], "one row");
  equal(list(shown(t, () => false, runs, () => false)), [0, 1, 2, 3, 4, 5, 6], "opened");
  equal(list(shown(t, (s) => s === 2, runs, () => false)), [0, 1, 2, 4, 5, 6], "opened, and one folded");
  equal(list(runsOf(t, alike, 4).head), [-1, -1, -1, -1, -1, -1, -1], "too few");
  const roots = build([-1, -1, -1]);
  equal(list(shown(roots, () => false, runsOf(roots, () => true, 3), () => true)), [0], "roots");
  equal(list(hidden(build([-1, 0, 1, 1, 0, -1]), Uint8Array.of(1, 0, 1, 0, 0, 0))), [3, 0, 0, 0, 0, 0], "what is left out below");

  const random = numbers(11);
  for (let round = 0; round < 40; round++) {
    const n = round === 0 ? 50_000 : random(60);
    const tree = build(Array.from({ length: n }, () => random(n + 2) - 2));
    const made = runsOf(tree, (a, b) => a % 2 === b % 2, 2);
    let wrong = 0;
    for (let i = 0; i < n; i++) {
      const head = made.head[i]!;
      if (head >= 0 && (tree.parent[i] !== tree.parent[head] || i % 2 !== head % 2 || tree.row[i]! >= made.after[head]!)) wrong++;
    }
    equal(wrong, 0, "siblings that are alike");
    const rows = shown(tree, () => false, made, () => true);
    const away = rows.filter((s) => made.head[s]! >= 0 && made.head[s] !== s).length;
    equal(away, 0, "all of a run but the first one are away");
  }
}

function testCuts() {
  equal(cutOf([0, 10, 500], [100, 20, 100]), { from: 100, to: 500 }, "most of the trace");
  equal(cutOf([0, 10, 150], [100, 20, 100]), undefined, "less than half");
  equal(cutOf([0, 900], [1000, 50]), undefined, "some span worked all the time");
  equal(cutOf([], []), undefined, "nothing");
  equal([placeIn(50, { from: 100, to: 200 }), placeIn(125, { from: 100, to: 200 }), placeIn(300, { from: 100, to: 200 })], [0, 25, 100], "within a part");
  // A root with a long call, one at the same time that ended before it, and one before both.
  const marks = criticalPath(build([-1, 0, 0, 0, 3]), [0, 1, 2, 5, 6], [20, 3, 9, 14, 2]);
  equal([...marks], [1, 1, 0, 1, 1], "what the root waited for");
  equal([...criticalPath(build([]), [], [])], [], "no span, no path");
  const cut = { from: 100, to: 500 };
  equal([0, 100, 500, 600].map((ns) => placeOf(ns, 600, cut)), [0, (100 - cutWidth) / 2, (100 - cutWidth) / 2 + cutWidth, 100], "what is left shares the width");
  equal(placeOf(300, 600, undefined), 50, "nothing is cut");
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
    [{ kind: "text", text: "see" }, { kind: "file", file: { media: "image/png", base64: "AAAA" } }], "parts");
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

/** A value again as the JSON that it was read from. */
const written = (v: Value): string => {
  if (!isBranch(v)) return v.kind === "text" ? JSON.stringify(v.text) : v.text;
  const all = v.members.map((m) => (v.kind === "object" ? JSON.stringify(m.name) + ":" : "") + written(m.value)).join();
  return v.kind === "object" ? `{${all}}` : `[${all}]`;
};

function testJSON() {
  for (const text of ['{"a":[1,{"b":"x:{,"}],"c":{}}', '{"n":12345678901234567890.10,"s":"<\\""}', "[]", '[[],{},"",null,true,-1e9]', '{"__proto__":{"x":1},"a":1,"a":2,"":0}']) {
    const root = valuesOf(text);
    equal(root && written(root), text, "as it was written");
  }
  for (const other of ["", "1", '"x"', "{", "[1,]", "x {}", "null"]) equal(valuesOf(other), undefined, "no JSON: " + other);
  equal(valuesOf("[".repeat(50_000) + "]".repeat(50_000))?.kind, "list", "deep");
  const random = numbers(9);
  for (let i = 0; i < 1000; i++) {
    const text = JSON.stringify({ a: oddText(random, 8), b: [random(9), null, { [oddText(random, 4)]: oddText(random, 4) }] });
    const root = valuesOf(text);
    if (root === undefined) complaints.push("lost");
    else equal(written(root), text, "the same value");
  }
}

function testEncoded() {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const image = { media: "image/png", base64: png };
  equal(encodedOf("data:image/png;base64," + png), image, "a data: URL");
  equal(encodedOf("data:text/html,<script>"), undefined, "no base64");
  equal(encodedOf("A".repeat(2000)), undefined, "a text of one letter");
  equal(withoutEncoded("see data:image/png;base64," + png + " there"), "see [image/png, 70 B] there", "its size in its place");
  equal(fileOf({ type: "image_url", image_url: { url: "data:image/png;base64," + png } }), image, "OpenAI");
  equal(fileOf({ type: "image", source: { type: "base64", media_type: "image/png", data: png } }), image, "Anthropic");
  equal(fileOf({ inline_data: { mime_type: "image/png", data: png } }), image, "Gemini");
  equal(fileOf({ type: "blob", mime_type: "image/png", content: png }), image, "OpenTelemetry");
  for (const other of [{ type: "image_url", image_url: { url: "https://example.com/x.png" } }, { source: { media_type: "image/png", data: "<svg>" } }, { image_url: null }, {}]) equal(fileOf(other), undefined, JSON.stringify(other));
  equal(pictureOf(image)?.type, "image/png", "a picture");
  const svg = { media: "image/svg+xml", base64: btoa("<svg onload=window.pwned=1>") };
  equal([isPicture(svg), pictureOf(svg)], [false, undefined], "SVG is no picture");
  equal(pictureOf({ ...svg, media: "image/png" }), undefined, "what is not what it says");
  equal(pictureOf({ media: "image/png", base64: "=!" }), undefined, "no base64");
  equal(isPicture({ media: "image/png", base64: "A".repeat(12 << 20) }), false, "too large");
  equal(target("https://example.com/x?y#z"), { href: "https://example.com/x?y#z", host: "example.com" }, "a link");
  equal(target("mailto:a@example.com")?.host, "a@example.com", "an address");
  for (const bad of ["javascript:alert(1)", "data:text/html,x", "/v2/me", "//example.com", "vbscript:x", "file:///etc", "https://bank.example@evil.example/", " javascript:x", "blob:x", ""]) equal(target(bad), undefined, bad);
}

function testConversation() {
  const m = (role: string, text: string, more: Partial<Message> = {}): Message => ({ role, parts: [{ kind: "text", text }], calls: [], answers: "", finish: "", rest: [], field: "", ...more });
  const [system, ask, yes] = [m("system", "be brief"), m("user", "where?"), m("user", "yes")];
  const calls = m("assistant", "", { calls: [{ id: "c1", name: "find", arguments: "{}", field: "" }] });
  const answer = m("tool", "{}", { answers: "c1" });
  const end = m("assistant", "there");
  const kinds = (turns: ReturnType<typeof transcriptOf>) => turns.map((list) => list.map((x) => (x.kind === "same" ? x.messages.length : x.kind)));
  equal(kinds(transcriptOf([{ prompts: [system, ask], completions: [calls] }, { prompts: [system, ask, calls, answer], completions: [end] }])), [["new", "new", "new"], [3, "new", "new"]], "shown once");
  equal(kinds(transcriptOf([{ prompts: [yes], completions: [end] }, { prompts: [yes, end, yes], completions: [end] }])), [["new", "new"], [2, "new", "new"]], "said again");
  equal(kinds(transcriptOf([{ prompts: [system, ask], completions: [end] }, { prompts: [m("system", "be kind"), ask, end, yes], completions: [] }])), [["new", "new", "new"], ["changed", 2, "new"]], "a system message that is changed");
  equal(kinds(transcriptOf([{ prompts: [system, ask, end, yes], completions: [end] }, { prompts: [system, yes, end, ask], completions: [] }])), [["new", "new", "new", "new", "new"], [3, "new"]], "a history without its beginning");
  equal(kinds(transcriptOf([{ prompts: [ask], completions: [] }, { prompts: [yes], completions: [] }])), [["new"], ["new"]], "another conversation");
  equal(kinds(transcriptOf([])), [], "nothing");
  equal(differenceOf("be very brief now", "be rather long now"), { head: "be ", removed: "very brief", added: "rather long", tail: " now" }, "a difference");
  equal(differenceOf("a", "a"), { head: "a", removed: "", added: "", tail: "" }, "none");
  equal(exchangesOf([ask, calls, answer, end]).map((x) => [x.message.role, x.results.length, x.results[0]?.role]), [["user", 0, undefined], ["assistant", 1, "tool"], ["assistant", 0, undefined]], "an answer next to its call");
  equal(exchangesOf([answer, calls, answer, answer]).length, 3, "one that nothing asked for, and one too many");
  const random = numbers(21);
  for (let i = 0; i < 300; i++) {
    const some = () => Array.from({ length: random(7) }, () => m(["user", "tool", ""][random(3)] ?? "", oddText(random, 1), { answers: ["", "c1"][random(2)] ?? "" }));
    const given = Array.from({ length: random(5) }, () => ({ prompts: some(), completions: some() }));
    const turns = transcriptOf(given);
    given.forEach((g, at) => equal(turns[at]?.reduce((n, x) => n + (x.kind === "same" ? x.messages.length : 1), 0), g.prompts.length + g.completions.length, "every message once"));
  }
}

export function testTrace() {
  testTree();
  testRuns();
  testCuts();
  testMessages();
  testJSON();
  testEncoded();
  testConversation();
}
