// SPDX-License-Identifier: Apache-2.0

// What a monitor did in the last hour, in words.

import { type EvaluatorSchema, readSchema } from "../api/evaluators";
import { ofEvaluations } from "../api/figures";
import { readStatus, type Setup } from "../api/monitors";
import { texts } from "../texts";
import { count, percent } from "../text/format";
import { sentence } from "../text/sentence";
import { beginning, visible } from "../text/visible";
import { reasonText } from "../verdict/badge";

const t = texts.monitors.states;
const hour = 3600;
const most = 1000; // groups that are answered
const degradedFrom = 0.05; // share of evaluations that fail

/** Evaluations of an hour, by status. */
export type Hour = Readonly<Partial<Record<"done" | "uncertain" | "failed" | "skipped" | "deferred", number>>>;

export type State = { kind: "running" | "degraded" | "none" | "unmatched" | "starting" | "paused"; words: string };

/** States, those first that need a look. */
export const byTrouble: readonly State["kind"][] = ["degraded", "none", "unmatched", "starting", "running", "paused"];

/** What became of the evaluations of the last hour, by setup; of one setup where it is named. */
export async function readHours(environment: string, signal: AbortSignal, setup?: string): Promise<ReadonlyMap<string, Hour>> {
  const from = Math.floor(Date.now() / 1000) - hour;
  const figures = await ofEvaluations(environment, { from, to: undefined, by: ["setup_id", "status"], measures: ["count"], top: most, ...(setup === undefined ? {} : { setup }) }, signal);
  const hours = new Map<string, Hour>();
  for (const { keys, total } of figures.groups) hours.set(keys[0] ?? "", { ...hours.get(keys[0] ?? ""), [keys[1] ?? ""]: total.count ?? 0 });
  return hours;
}

/** The state of a monitor, in as many words as the counts alone give. */
export function stateOf(setup: Setup, of: Hour): State {
  const { done = 0, uncertain = 0, failed = 0, skipped = 0, deferred = 0 } = of;
  const evaluated = done + uncertain;
  if (setup.paused) return { kind: "paused", words: t.paused };
  if (setup.status === "pending" || setup.status === "in_progress") return { kind: "starting", words: t.starting };
  const share = failed / (evaluated + failed);
  if (failed > 0 && share >= degradedFrom) return { kind: "degraded", words: t.degraded(percent(Math.round(share * 100) / 100)) };
  if (evaluated > 0) return { kind: "running", words: done > 0 ? t.running : t.uncertain };
  if (skipped > 0) return { kind: "none", words: t.none };
  if (deferred > 0) return { kind: "none", words: t.pending(count(deferred)) };
  if (setup.status === "failed" || setup.status === "partial") return { kind: "degraded", words: t.notReady };
  return { kind: "unmatched", words: t.unmatched };
}

/** Whether it takes more questions to say why a monitor is in its state. */
export const isUnexplained = (s: State) => s.kind === "degraded" || s.kind === "none" || s.kind === "unmatched";

/** What an error of an evaluator says, in short. */
const errorOf = (message: string) => (/needs a judge|no judge/.test(message) ? t.noJudge : beginning(message, 160));

const ofAttribute = "attribute:"; // begins the parts of spans that are attributes

/** The inputs of an evaluator that no mapping names and no span brings: has says which attributes spans have. */
export const unmapped = (schema: EvaluatorSchema, mapping: Readonly<Record<string, unknown>> = {}, has = (_: string) => false): string[] =>
  (schema.input.required ?? []).filter((name) => {
    const part = schema.span_parts[name];
    if (Object.hasOwn(mapping, name)) return false;
    return part === undefined || (part.startsWith(ofAttribute) && !has(part.slice(ofAttribute.length)));
  });

/** Why most evaluations of the last hour were skipped. */
async function skippedBecause(environment: string, setup: Setup, signal: AbortSignal): Promise<string> {
  const from = Math.floor(Date.now() / 1000) - hour;
  const figures = await ofEvaluations(environment, { from, to: undefined, by: ["reason"], measures: ["count"], top: 1, setup: setup.id, status: "skipped" }, signal);
  const reason = figures.groups[0]?.keys[0] ?? "";
  if (reason !== "missing_input") return reasonText(reason);
  const lacking = await Promise.all(
    setup.evaluators.map(async (e) => unmapped(await readSchema(environment, e.evaluator_type, signal), e.input_mapping)),
  );
  const names = lacking.flat();
  return names.length > 0 ? t.unmapped(names.map(visible).join(", "), names.length) : reasonText(reason);
}

/** Why a monitor is in its state, "" where nothing says it. */
export async function readCause(environment: string, setup: Setup, state: State, signal: AbortSignal): Promise<string> {
  if (state.kind === "none") return skippedBecause(environment, setup, signal);
  const status = await readStatus(environment, setup.id, signal);
  if (state.kind === "unmatched") return status.dead === undefined ? "" : beginning(sentence(status.dead.sentence), 300);
  const broken = [...status.evaluators].sort((a, b) => b.failed - a.failed).find((e) => e.error_message || e.last_error);
  return broken === undefined ? "" : errorOf(broken.error_message || broken.last_error || "");
}
