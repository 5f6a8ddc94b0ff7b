// SPDX-License-Identifier: Apache-2.0

import { filterOf, filtersParam } from "../src/filter/filter";
import { columnsParam, wanted } from "../src/spans/state";
import { equal, numbers, oddText } from "./check";

export function testSpans() {
  const random = numbers(11);
  for (let i = 0; i < 2000; i++) {
    const filter = filterOf("f" + oddText(random, 3), random(2) === 0 ? "equals" : "in", oddText(random, 6));
    const read = wanted({ filters: filtersParam([filter]) });
    equal(read.filters, [filter], "filters of an address");
    equal(read.broken, false, "broken");
    wanted({ filters: oddText(random, 9), t: oddText(random, 2), from: oddText(random, 2), to: oddText(random, 2) });
  }
  for (const broken of ["{", "{}", "[1]", '[{"id":""}]', '[{"id":"a","operator":"like"}]', '[{"id":"a","operator":"equals","value":{}}]', "null"])
    equal([wanted({ filters: broken }).broken, wanted({ filters: broken }).filters], [true, []], broken);
  for (const broken of [{ from: "2", to: "1" }, { from: "x", to: "2" }, { t: "1y" }, { t: "toString" }]) equal(wanted(broken).broken, true, JSON.stringify(broken));
  equal(wanted({ from: "1", to: "2" }).period, { from: 1, to: 2 }, "period");
  equal(filterOf("a", "greater_than", "12.5").value, 12.5, "a number");
  equal(filterOf("a", "greater_than", "x").value, "x", "none: the API says what is wrong");
  equal(filterOf("a", "in", "x, y").value, ["x", "y"], "several");
  equal(filterOf("a", "exists", "x").value, undefined, "no value");
  equal([wanted({ sort: "duration", order: "ASC" }).sort, wanted({ sort: "toString" }).broken, wanted({ sort: "" }).broken], ["duration", true, false], "order");
  equal(wanted({ cols: columnsParam(["a,b", '"c"']) }).columns, ["a,b", '"c"'], "columns");
  for (const broken of ["x", "{}", "[1]", '[""]', columnsParam(Array.from({ length: 21 }, String))]) equal([wanted({ cols: broken }).broken, wanted({ cols: broken }).columns], [true, []], broken);
}
