// SPDX-License-Identifier: Apache-2.0

import { begun, draftOf, wishOf } from "../src/alerts/draft";
import { hasCourse } from "../src/alerts/read";
import { worstFirst } from "../src/alerts/words";
import { type Alert, type AlertGroup, wishOf as same } from "../src/api/alerts";
import type { Figures } from "../src/api/figures";
import { marksOfModels } from "../src/verdicts/marks";
import { equal } from "./check";

const group = (name: string, status: AlertGroup["status"], value: number | null): AlertGroup => ({ keys: [name], status, value, bound: null, traces: 0, coverage: null });

const stored: Alert = {
  id: "1", name: "a", metric: "mean_score", evaluator: "e", output: "o", setup_id: "s", filters: [{ id: "f", operator: "equals", value: "x" }], q: "status:error", group_by: ["service_name", "m"],
  score_range: [1, 5], window_sec: 900, delay_sec: 60, condition: { below: 2.5 }, no_data: "alert", false_alarms: 0.05, paused: false, created_at: "", updated_at: "", status: "ok", groups: [], groups_ignored: false,
  targets: [{ name: "t", type: "slack", host: "h", has_secret: true }],
};

export function testAlerts() {
  const sorted = (wish: object) => Object.entries(wish).sort();
  equal(sorted(wishOf(draftOf(stored), stored)), sorted(same(stored)), "an alert that is not changed");
  const share: Alert = { ...stored, metric: "failing_share", condition: { above: 0.07 } };
  equal(draftOf(share).threshold, "7", "per cent");
  equal(wishOf(draftOf(share), share).condition, { above: 0.07 }, "and back");
  const draft = begun({ metric: "error_rate", by: "service_name", filters: '[{"id":"f","operator":"exists"}]' });
  equal([draft.metric, draft.by, draft.filters, draft.kind], ["error_rate", "service_name", [{ id: "f", operator: "exists" }], "above"], "of a chart");
  equal(begun({ metric: "nothing", filters: "{" }).metric, "failing_share", "an address with mistakes");
  equal(wishOf({ ...draft, threshold: "x" }, undefined).condition, { above: "x" } as object, "no number: the API says so");
  equal(wishOf({ ...draft, evaluator: "e" }, undefined).evaluator, undefined, "a figure of spans has no evaluator");
  const list = { ...stored, groups: [group("good", "ok", 4), group("bad", "firing", 2), group("worse", "firing", 1), group("none", "no_data", null)] };
  equal(worstFirst(list).map((g) => g.keys[0]), ["worse", "bad", "none", "good"], "the worst group first");
  equal(worstFirst({ ...list, condition: { above: 1 } }).map((g) => g.keys[0]), ["bad", "worse", "none", "good"], "where more is worse");
  equal([hasCourse({ ...stored, setup_id: undefined }), hasCourse(share), hasCourse({ ...stored, metric: "evaluation_delay" })], [true, false, false], "what has a chart");

  const of = (name: string, count: number[]) => ({ keys: [name], total: { count: count.reduce((a, b) => a + b) }, series: { count } });
  const figures: Figures = { step_sec: 60, times: [0, 60, 120, 180], total: { count: 203 }, group_count: 4, groups: [of("a", [50, 50, 0, 0]), of("b", [0, 0, 50, 50]), of("c", [0, 1, 0, 0]), of("", [0, 2, 0, 0])] };
  equal(marksOfModels(figures), [{ at: 120, text: "model a ends" }, { at: 120, text: "model b begins" }], "models that change");
  equal(marksOfModels({ ...figures, groups: [] }), [], "no model");
}
