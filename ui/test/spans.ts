// SPDX-License-Identifier: Apache-2.0

import { filterOf, filtersParam, toggled } from "../src/filter/filter";
import { lineCounter } from "../src/spans/export";
import { mostRows, onTop } from "../src/spans/live";
import type { Row } from "../src/api/spans";
import { fieldOf, moved as moved2, timeOf } from "../src/period/period";
import { columnsParam, moved, placed, wanted } from "../src/spans/state";
import { paramsOf, queryOf } from "../src/spans/views";
import { equal, numbers, oddText } from "./check";

export function testSpans() {
  const model = { id: "m", operator: "not_equals", value: "x" } as const;
  equal(toggled([model], "s", "a"), [model, { id: "s", operator: "equals", value: "a" }], "a value is ticked");
  equal(toggled([{ id: "s", operator: "equals", value: "a" }, model], "s", "b"), [model, { id: "s", operator: "in", value: ["a", "b"] }], "another one is ticked, too");
  equal(toggled([{ id: "s", operator: "in", value: ["a", "b"] }], "s", "a"), [{ id: "s", operator: "equals", value: "b" }], "one is ticked no longer");
  equal(toggled([{ id: "s", operator: "equals", value: "a" }], "s", "a"), [], "none is");
  const random = numbers(11);
  for (let i = 0; i < 2000; i++) {
    const filter = filterOf("f" + oddText(random, 3), random(2) === 0 ? "equals" : "in", oddText(random, 6));
    const read = wanted({ filters: filtersParam([filter]) });
    equal(read.filters, [filter], "filters of an address");
    equal(read.broken, [], "broken");
    wanted({ filters: oddText(random, 9), t: oddText(random, 2), from: oddText(random, 2), to: oddText(random, 2) });
  }
  for (const broken of ["{", "{}", "[1]", '[{"id":""}]', '[{"id":"a","operator":"like"}]', '[{"id":"a","operator":"equals","value":{}}]', "null"])
    equal([wanted({ filters: broken }).broken, wanted({ filters: broken }).filters], [["filters"], []], broken);
  for (const broken of [{ from: "2", to: "1" }, { from: "x", to: "2" }, { t: "1y" }, { t: "toString" }]) equal(wanted(broken).broken, ["period"], JSON.stringify(broken));
  equal(wanted({ from: "1", to: "2" }).period, { from: 1, to: 2 }, "period");
  equal(filterOf("a", "greater_than", "12.5").value, 12.5, "a number");
  equal(filterOf("a", "greater_than", "x").value, "x", "none: the API says what is wrong");
  equal(filterOf("a", "in", "x, y").value, ["x", "y"], "several");
  equal(filterOf("a", "exists", "x").value, undefined, "no value");
  equal([filterOf("a", "equals", ""), filterOf("a", "not_equals", "")], [{ id: "a", operator: "not_exists" }, { id: "a", operator: "exists" }], "what is shown empty is not there");
  equal([filterOf("a", "equals", " "), filterOf("a", "contains", "")], [{ id: "a", operator: "equals", value: " " }, { id: "a", operator: "contains", value: "" }], "what is there");
  equal([wanted({ sort: "duration", order: "ASC" }).sort, wanted({ sort: "toString" }).broken, wanted({ sort: "" }).broken], ["duration", ["sort"], []], "order");
  equal(wanted({ cols: columnsParam(["a,b", '"c"']) }).columns, ["a,b", '"c"'], "columns");
  for (const broken of ["x", "{}", "[1]", '[""]', columnsParam(Array.from({ length: 21 }, String))]) equal([wanted({ cols: broken }).broken, wanted({ cols: broken }).columns], [["columns"], []], broken);
  testFiles();
  testLive();
  testViews();
  testPeriods();
}

function testViews() {
  const params = { t: "1h", env: "e", sel: "x", filters: '[{"id":"a&b"}]', cols: "", order: "ASC" };
  equal(paramsOf(queryOf(params)), { t: "1h", filters: '[{"id":"a&b"}]', order: "ASC" }, "what belongs to a view");
  equal([paramsOf(""), paramsOf("%&env=x&t=&t=1h"), queryOf({})], [{}, {}, ""], "what does not");
  equal([moved(["a", "b", "c"], "c"), moved(["a", "b"], "a"), moved(["a"], "x")], [["a", "c", "b"], ["a", "b"], ["a"]], "columns moved");
  equal([placed(["a", "b", "c"], "a", 2), placed(["a", "b", "c"], "c", 0), placed(["a", "b"], "x", 0)], [["b", "c", "a"], ["c", "a", "b"], ["a", "b"]], "columns dragged");
  equal(wanted({}, columnsParam(["own"])).columns, ["own"], "columns that the browser keeps");
  equal(wanted({ cols: columnsParam(["a"]) }, columnsParam(["own"])).columns, ["a"], "those of the address count");
}

function testPeriods() {
  equal(moved2({ from: 100, to: 200 }, -1, 1000), { from: 0, to: 100 }, "the period before");
  equal(moved2({ from: 100, to: 200 }, 1, 1000), { from: 200, to: 300 }, "the period after");
  equal(moved2("1h", -1, 10_000), { from: 2800, to: 6400 }, "before the last hour");
  equal(moved2({ from: 2800, to: 6400 }, 1, 10_000), "1h", "and back");
  equal(moved2({ from: 0, to: 500 }, 1, 900), { from: 400, to: 900 }, "no later than now");
  for (const at of [0, 1_800_000_000, 1_774_747_800]) for (const zone of ["utc", "local"] as const) equal(timeOf(fieldOf(at, zone), zone), at, "a time in " + zone);
  equal([timeOf("", "utc"), timeOf("x", "utc"), timeOf("2026-13-01", "utc"), fieldOf(Number.MAX_SAFE_INTEGER, "utc")], [undefined, undefined, undefined, ""], "no time");
  equal([timeOf("1970-01-02", "utc"), timeOf(" 1970-01-02T00:01 ", "utc")], [86_400, 86_460], "short times");
}

function testFiles() {
  const bytes = new TextEncoder().encode('a,b\r\n1,"x\n""y"""\r\n2,"z\r\n"\r\n');
  for (let cut = 0; cut <= bytes.length; cut++) {
    const count = lineCounter();
    count(bytes.subarray(0, cut));
    equal(count(bytes.subarray(cut)), 3, "lines in two parts");
  }
}

function testLive() {
  const row = (n: number) => ({ trace_id: "t" + n, span_id: "s" }) as Row;
  equal(onTop([row(1), row(2)], [row(2), row(0)]).map((r) => r.trace_id), ["t2", "t1", "t0"], "the last to arrive first, each once");
  equal(onTop([], Array.from({ length: 3000 }, (_, i) => row(i))).length, mostRows, "not too many");
}
