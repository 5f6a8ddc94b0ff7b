// SPDX-License-Identifier: Apache-2.0

// A monitor while it is edited, and what it asks of the API.

import type { OnVerdict, Rule, RuleOperator, Setup, Wish } from "../api/monitors";
import { ruleOperators } from "../api/monitors";
import type { Filter, Operator } from "../api/spans";
import { namedBy, type Typed, typedMembers, typedOf } from "../form/typed";
import { texts } from "../texts";

export type DraftRule = { key: string; source: Rule["source"]; operator: RuleOperator; value: string };

/** An evaluator; action is "" where nothing is done on its verdicts. */
export type DraftEvaluator = { slug: string; rate: string; backend: string; config: Typed; mapping?: Record<string, unknown>; action: OnVerdict["action"] | ""; keep: boolean };

export type Draft = { name: string; rules: readonly DraftRule[]; evaluators: readonly DraftEvaluator[]; money: string; days: string; spans: string };

export const emptyRule: DraftRule = { key: "", source: "span_attributes", operator: "equals", value: "" };
export const emptyDraft: Draft = { name: "", rules: [], evaluators: [], money: "", days: "", spans: "" };
export const emptyEvaluator = (slug: string): DraftEvaluator => ({ slug, rate: "", backend: "", config: {}, action: "", keep: false });

const day = 86_400;

export const hasValue = (o: RuleOperator) => o !== "exists" && o !== "not_exists";
const isList = (o: RuleOperator) => o === "in" || o === "not_in";

function numberOf(text: string, factor: number): number | null {
  if (text.trim() === "") return null;
  const n = Number(text);
  return (Number.isFinite(n) ? n * factor : text) as number; // the API says what is wrong with a text
}

function ruleOf(r: DraftRule): Rule {
  const rule: Rule = { key: r.key, source: r.source, operator: r.operator };
  if (isList(r.operator)) rule.values = r.value.split(",").map((v) => v.trim());
  else if (hasValue(r.operator)) rule.value = r.value;
  return rule;
}

/** What is to be done on verdicts, in the order of the evaluators; null where nothing is. */
function onVerdictOf(evaluators: readonly DraftEvaluator[]): OnVerdict[] | null {
  const list = evaluators.flatMap((e): OnVerdict[] => {
    if (e.action === "") return [];
    const one = { evaluator: e.slug, action: e.action };
    return [e.keep ? { ...one, on_failure: "keep" } : one];
  });
  return list.length > 0 ? list : null;
}

/** Where what is done on the verdicts of an evaluator is in what is asked for. */
export const onVerdictAt = (evaluators: readonly DraftEvaluator[], at: number) => `on_verdict[${evaluators.slice(0, at).filter((e) => e.action !== "").length}]`;

/** What a draft asks for; config gives what was typed for an evaluator as values. */
export function wishOf(d: Draft, config: (e: DraftEvaluator) => Record<string, unknown>): Wish {
  return {
    external_id: d.name,
    selector: d.rules.map(ruleOf),
    evaluators: d.evaluators.map((e) => {
      const made: Wish["evaluators"][number] = { evaluator_type: e.slug };
      const values = config(e);
      if (Object.keys(values).length > 0) made.config = values;
      if (e.mapping !== undefined) made.input_mapping = e.mapping;
      const rate = numberOf(e.rate, 0.01);
      if (rate !== null) made.sample_rate = rate;
      if (e.backend !== "") made.backend = e.backend;
      return made;
    }),
    min_spans: numberOf(d.spans, 1),
    max_cost_per_day: numberOf(d.money, 1),
    deadline_sec: numberOf(d.days, day),
    on_verdict: onVerdictOf(d.evaluators),
  };
}

const round = (n: number) => String(Math.round(n * 1e6) / 1e6);

/** A draft of what is stored. */
export function draftOf(s: Setup): Draft {
  return {
    name: s.external_id,
    rules: s.init_rules.map((r) => ({
      key: r.key, source: r.source, operator: r.operator ?? "equals", value: r.values !== undefined ? r.values.join(", ") : typedOf(r.value),
    })),
    evaluators: s.evaluators.map((e) => {
      const done = s.on_verdict?.find((o) => o.evaluator === e.evaluator_type);
      const draft: DraftEvaluator = {
        slug: e.evaluator_type, rate: e.sample_rate === undefined ? "" : round(e.sample_rate * 100), backend: e.backend ?? "", config: typedMembers(e.config ?? {}),
        action: done?.action ?? "", keep: done?.on_failure === "keep",
      };
      if (e.input_mapping !== undefined) draft.mapping = e.input_mapping;
      return draft;
    }),
    money: typedOf(s.max_cost_per_day),
    days: s.deadline_sec === undefined ? "" : round(s.deadline_sec / day),
    spans: typedOf(s.min_spans),
  };
}

const sources = [["span_attributes.", "span_attributes"], ["resource_attributes.", "resource_attributes"]] as const;

/** Fields of spans and short names of attributes, which rules do not read: they read attributes by their keys. */
const fields = [
  "span_name", "span_kind", "status_code", "status_message", "duration", "duration_ms", "timestamp", "trace_id", "span_id", "parent_span_id",
  "scope_name", "scope_version", "input", "output", "environment", "trace_state", "prompts", "completions", "cost", "llm.usage.cost", "input_cost", "arrived_ns",
  "workflow", "platform_workflow_name", "traceloop_workflow_name", "entity", "platform_entity_name", "traceloop_entity_name", "conversation_id", "session_id",
  "user_id", "llm_response_model", "total_tokens", "llm_usage_total_tokens",
];

/** Whether no rule can read what a filter is of: a field, or what only verdicts bring. */
const isUnread = (id: string) => fields.includes(id) || /^(span_attributes\.)?(evaluation|touchstone)\./.test(id);

const isRuleOperator = (o: Operator): o is RuleOperator & Operator => ruleOperators.some((r) => r === o);

/** The rules that say what filters of spans say, and the filters that no rule can say. */
export function rulesOf(filters: readonly Filter[]): { rules: DraftRule[]; left: Filter[] } {
  const rules: DraftRule[] = [];
  const left: Filter[] = [];
  for (const f of filters) {
    const source = sources.find(([prefix]) => f.id.startsWith(prefix));
    const value = Array.isArray(f.value) ? f.value.join(", ") : f.value === undefined ? "" : String(f.value);
    if (!isRuleOperator(f.operator) || isUnread(f.id)) left.push(f);
    else if (f.id === "service_name" || f.id === "service.name") rules.push({ key: "service.name", source: "resource_attributes", operator: f.operator, value });
    else if (source !== undefined) rules.push({ key: f.id.slice(source[0].length), source: source[1], operator: f.operator, value });
    else rules.push({ key: f.id, source: "span_attributes", operator: f.operator, value });
  }
  return { rules, left };
}

/** The filters of spans that say what rules say, or undefined where one cannot be said. */
export function filtersOfRules(rules: readonly Rule[]): Filter[] | undefined {
  const filters: Filter[] = [];
  for (const r of rules) {
    const operator = r.operator ?? "equals";
    if (operator === "not_contains") return undefined;
    const id = r.source === "span_attributes" && r.key === "span_type" ? r.key : `${r.source}.${r.key}`;
    if (operator === "exists" || operator === "not_exists") filters.push({ id, operator });
    else if (r.values !== undefined) filters.push({ id, operator, value: r.values });
    else filters.push({ id, operator, value: r.value ?? "" });
  }
  return filters;
}

/** Where the fields of a draft are in what it asks for. */
export function pathsOf(d: Draft): string[] {
  return [
    "external_id", "evaluators", "selector", "min_spans", "max_cost_per_day", "deadline_sec",
    ...d.rules.flatMap((_, i) => ["key", "source", "operator", "value", "values"].map((m) => `selector[${i}].${m}`)),
    ...d.evaluators.flatMap((e, i) => ["sample_rate", "backend", "config", ...Object.keys(e.config).map((c) => "config." + c)].map((m) => `evaluators[${i}].${m}`)),
    ...d.evaluators.flatMap((e, i) => (e.action === "" ? [] : ["evaluator", "action", "on_failure"].map((m) => `${onVerdictAt(d.evaluators, i)}.${m}`))),
  ];
}

const t = texts.monitors;

/** What the form calls the fields that the API calls so. */
const labels: Readonly<Record<string, string>> = {
  external_id: t.name, evaluators: t.evaluators, min_spans: t.spans, max_cost_per_day: t.money, deadline_sec: t.days,
  key: t.key, source: t.source, operator: t.operator, value: t.value, values: t.value, sample_rate: t.rate, backend: t.backend, action: t.onVerdict, evaluator: t.onVerdict, on_failure: t.onFailure,
};

/** What the API refused of a draft, in the words of the form. */
export function inForm(message: string, d: Draft): string {
  const path = namedBy(message, pathsOf(d));
  if (path === undefined) return message;
  const member = path.split(".").at(-1) ?? path;
  const rule = /^selector\[(\d+)\]/.exec(path)?.[1];
  const evaluator = d.evaluators[Number(/^evaluators\[(\d+)\]/.exec(path)?.[1] ?? -1)];
  const where = rule !== undefined ? `${t.ruleNumber(Number(rule) + 1)}, ` : evaluator !== undefined ? `${evaluator.slug}, ` : "";
  return where + (labels[member] ?? member) + message.slice(path.length);
}
