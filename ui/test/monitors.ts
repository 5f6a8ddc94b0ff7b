// SPDX-License-Identifier: Apache-2.0

import type { Backfill, Setup } from "../src/api/monitors";
import { operators } from "../src/api/spans";
import { ticks } from "../src/chart/scale";
import { differ } from "../src/evaluators/differ";
import { emptyDraft as emptyOwn, emptyField, inputOf, namedByTrial, pathsOfChange, pathsOfCreation } from "../src/evaluators/own";
import { namedBy, needsJSON, objectOf, typedMembers } from "../src/form/typed";
import { wrongAt } from "../src/form/wrong";
import { draftOf, emptyDraft, emptyEvaluator, filtersOfRules, pathsOf, rulesOf, wishOf } from "../src/monitors/draft";
import { paceOf } from "../src/monitors/pace";
import { stepOf, stepsOf } from "../src/period/period";
import { lasting } from "../src/text/format";
import { kindOf, wanted } from "../src/verdicts/state";
import { equal, numbers, oddText } from "./check";

export function testMonitors() {
  const random = numbers(17);
  for (let i = 0; i < 2000; i++) {
    const operator = operators[random(operators.length)] ?? "equals";
    const id = ["", "span_attributes.", "resource_attributes."][random(3)] + "k" + oddText(random, 4).replaceAll(".", "");
    const { rules, left } = rulesOf([{ id, operator, value: oddText(random, 5).replaceAll(",", "").trim() }]);
    equal(rules.length + left.length, 1, "a filter is a rule, or is left out");
    const wish = wishOf({ ...emptyDraft, rules }, () => ({}));
    const back = filtersOfRules(wish.selector);
    for (const rule of rules) {
      const said = back?.[0];
      equal(said?.id, (id.includes(".") ? "" : "span_attributes.") + id, "the field of a rule");
      equal(said?.operator, rule.operator, "the operator of a rule");
    }
  }
  equal(rulesOf([{ id: "duration", operator: "greater_than", value: 3 }, { id: "span_name", operator: "equals", value: "x" }]).left.length, 2, "no rule says it");
  const unread = [
    "touchstone.evaluation.status", "touchstone.evaluation.pii-detector.good", "evaluation.pii-detector.has_pii", "span_attributes.evaluation.pii-detector.has_pii",
    "cost", "input_cost", "llm.usage.cost", "conversation_id", "session_id", "user_id", "workflow", "traceloop_workflow_name", "entity", "total_tokens",
  ];
  equal(rulesOf(unread.map((id) => ({ id, operator: "equals", value: "x" }))).left.map((f) => f.id), unread, "what no rule reads is left out, and said");
  equal(rulesOf([{ id: "service_name", operator: "equals", value: "shop" }]).rules, [{ key: "service.name", source: "resource_attributes", operator: "equals", value: "shop" }], "a service");
  equal(filtersOfRules([{ key: "a", source: "span_attributes", operator: "not_contains", value: "x" }]), undefined, "no filter says it");

  equal(['{"a": 1}', "[1, 2", "", "[\n  1,\n  x]", "nul"].map((text) => wrongAt(text)?.line), [undefined, 1, 1, 3, 1], "where a text stops being JSON");
  equal(['[\n  1,\n  x]', '{"a" 1}', '["a", ]', "01", '{"a": tru}', '[1}', '"a', "[1] 2"].map((text) => wrongAt(text)?.column), [3, 6, 7, 1, 7, 3, 1, 5], "in its line");
  equal([{ type: ["string", "array"], contentMediaType: "application/json" }, { type: "array" }, { type: "string" }, { type: ["string", "number"] }].map(needsJSON), [true, true, false, false], "what has to be JSON");
  const either = { properties: { a: { type: ["string", "array", "object"] }, b: { type: ["string", "number"] } } };
  equal([objectOf(either, { a: "21", b: "21" }), objectOf(either, { a: "[1]", b: "x" }), objectOf(either, { a: '{"x": 1}' })], [{ a: "21", b: 21 }, { a: [1], b: "x" }, { a: { x: 1 } }], "a text of a type that is not wanted stays a text");
  const needed = { required: ["a"], properties: { a: { type: "string" }, b: { type: "string" } } };
  equal([objectOf(needed, { a: "", b: "" }), objectOf(needed, {})], [{ a: "" }, {}], "a text that is required may be empty");
  const tried = (run: number, backend: string, good: boolean, reason: string) => ({ run, done: { backend, outputs: { good, reason }, good: null, duration: 1, tokens: 0, cost: 0 } });
  equal([
    differ([tried(2, "a", true, "x"), tried(2, "b", false, "x")]), differ([tried(2, "a", true, "x"), tried(2, "b", true, "y")]),
    differ([tried(2, "a", true, "x"), tried(1, "b", false, "x")]), differ([]),
  ], [true, false, false, false], "backends that differ");

  const setup = {
    external_id: "m", init_rules: [{ key: "a", source: "span_attributes", operator: "in", values: ["x", "y"] }, { key: "b", source: "resource_attributes", value: 7 }],
    evaluators: [{ evaluator_type: "e", status: "completed", sample_rate: 0.1, backend: "judge", config: { n: 3, list: ["a"], on: true }, input_mapping: { text: { source: "span", key: "output" } } }],
    on_verdict: [{ evaluator: "e", action: "hash", on_failure: "keep" }],
    min_spans: 2, max_cost_per_day: 1.5, deadline_sec: 43_200,
  } as unknown as Setup;
  const schema = { properties: { n: { type: "integer" }, list: { type: "array" }, on: { type: "boolean" }, none: { type: "string" } } };
  equal(wishOf(draftOf(setup), (e) => objectOf(schema, e.config)), {
    external_id: "m",
    selector: [{ key: "a", source: "span_attributes", operator: "in", values: ["x", "y"] }, { key: "b", source: "resource_attributes", operator: "equals", value: "7" }],
    evaluators: [{ evaluator_type: "e", config: { n: 3, list: ["a"], on: true }, input_mapping: { text: { source: "span", key: "output" } }, sample_rate: 0.1, backend: "judge" }],
    min_spans: 2, max_cost_per_day: 1.5, deadline_sec: 43_200,
    on_verdict: [{ evaluator: "e", action: "hash", on_failure: "keep" }],
  }, "what is stored is what is asked for again");
  equal(wishOf({ ...emptyDraft, money: "five" }, () => ({})).max_cost_per_day as unknown, "five", "the API says what is wrong");
  equal(typedMembers({ a: "x", b: 1, c: null }), { a: "x", b: "1", c: "" }, "typed");
  equal(objectOf(schema, { n: "x", list: "[", on: "" }), { n: "x", list: "[" }, "what cannot be read goes as it is");

  const draft = { ...emptyDraft, rules: rulesOf([{ id: "a", operator: "exists" }, { id: "b", operator: "exists" }]).rules, evaluators: [{ ...emptyEvaluator("e"), config: { top: "1", top_k: "1" } }] };
  equal(namedBy("selector[1].value is required", pathsOf(draft)), "selector[1].value", "a rule");
  equal(namedBy("evaluators[0].config.top_k must be positive", pathsOf(draft)), "evaluators[0].config.top_k", "the longest name");
  equal(namedBy("evaluators must have at least 1 item", pathsOf(draft)), "evaluators", "a list");
  const acting = { ...emptyDraft, evaluators: [emptyEvaluator("a"), { ...emptyEvaluator("b"), action: "mask" as const }] };
  equal(wishOf(acting, () => ({})).on_verdict, [{ evaluator: "b", action: "mask" }], "what is done on verdicts");
  equal(wishOf(draft, () => ({})).on_verdict, null, "nothing is done on verdicts");
  equal(namedBy("on_verdict[0].evaluator: b may ask a model", pathsOf(acting)), "on_verdict[0].evaluator", "the second evaluator's action is the first");
  equal(namedBy("on_verdict[0].action must be one of", pathsOf(draft)), undefined, "an action that is not there");
  equal(namedBy("external_idea", pathsOf(draft)), undefined, "another name");

  const own = { ...emptyOwn, inputs: [{ ...emptyField, name: "a.b", type: "enum" as const, values: "x, y", description: "d" }, emptyField, { ...emptyField, name: "n", type: "int" as const }] };
  equal(inputOf(own), { type: "object", properties: { "a.b": { type: "string", description: "d", enum: ["x", "y"] }, n: { type: "integer" } }, required: ["a.b", "n"] }, "what a trial takes");
  equal([namedByTrial("evaluator.model is required; evaluator.name is required", own, pathsOfCreation), namedByTrial("evaluator.model is required", own, pathsOfChange)], ["model", "config.llm_config.model"], "a field of the form");
  equal(namedByTrial("evaluator.messages[0].content is required", own, pathsOfChange), "config.messages[0].content", "a message");
  equal([namedByTrial("input.a.b is required", own, pathsOfChange), namedByTrial("input.other is required", own, pathsOfChange), namedByTrial("model is slow", own, pathsOfCreation)], ["input.a.b", undefined, undefined], "an input");

  for (let i = 0; i < 500; i++) {
    const least = (random(2000) - 1000) / 7;
    const most = least + (1 + random(10_000)) / 13;
    const list = ticks(least, most, 4);
    equal((list[0] ?? Infinity) <= least + 1e-9 && (list.at(-1) ?? -Infinity) >= most - 1e-9, true, "ticks reach both ends");
    equal(list.length >= 2 && list.length <= 8, true, `${list.length} ticks`);
  }
  equal([stepOf(0, 3600, 60), stepOf(0, 86_400, 48), stepOf(0, 30 * 86_400, 48)], [60, 1800, 86_400], "steps");
  for (let i = 0; i < 500; i++) {
    const length = 10 + random(90 * 86_400);
    equal(stepsOf(0, length).every((s) => length / s >= 2 && Math.floor(length / s) + 2 <= 400), true, "steps that the API answers");
  }
  equal([stepsOf(0, 15), stepsOf(0, 60)], [[], [10, 30]], "steps of short periods");
  equal([wanted({ step: "3600" }).step, wanted({ step: "7" }).step, wanted({ step: "7" }).broken, wanted({ step: "" }).broken], [3600, undefined, ["interval"], []], "a step");
  equal([lasting(30), lasting(1800), lasting(3600), lasting(10_800), lasting(7 * 86_400), lasting(5400)], ["30 s", "30 min", "1 h", "3 h", "7 d", "90 min"], "lengths");
  const job = { status: "running", total: 1000, seen: 250, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:50Z" } as Backfill;
  equal([paceOf(job), paceOf({ ...job, seen: 0 }), paceOf({ ...job, status: "completed" }), paceOf({ ...job, updated_at: job.created_at })], ["5 spans a second, about 2 min 30 s left", "", "", ""], "how fast a backfill is");
  equal(wanted({ m: "a-b.c.d", agg: "p90", by: "service_name" }).output, "c.d", "an output");
  equal([wanted({ m: "a" }).output, wanted({ agg: "toString" }).aggregate, wanted({ filters: "{" }).broken], ["", "avg", ["filters"]], "what cannot be read");
  equal([kindOf({ share_true: 0 }), kindOf({ share_true: null, avg: 0 }), kindOf({ share_true: null, avg: null })], ["boolean", "number", "text"], "kinds");
}
