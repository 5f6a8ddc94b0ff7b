// SPDX-License-Identifier: Apache-2.0

// Which monitors gave no verdict in a period, and why.

import { type Figures, ofEvaluations } from "../api/figures";
import { readFunnel, readSetups, readStatus, type Setup } from "../api/monitors";

export type Within = { from: number; to: number | undefined };

/** A monitor with the evaluators of it that gave no verdict, each with whether there is any record of it. */
export type Silent = { setup: Setup; evaluators: { slug: string; recorded: boolean }[] };

/** How many evaluations of an evaluator ended so. */
export type Became = { evaluator: string; status: "deferred" | "failed" | "skipped" | "uncertain"; reason: string; n: number };

export type Why =
  | { kind: "became"; parts: Became[]; lastError: string }
  | { kind: "paused"; since: string }
  /** It was made after the period. */
  | { kind: "later" }
  /** So many spans pass its rules, but were there before it. */
  | { kind: "passed"; spans: number }
  | { kind: "unmatched"; sentence: string }
  /** There is no span at all. */
  | { kind: "nothing" };

const most = 1000; // groups that are answered

const keyOf = (setup: string, evaluator: string) => `${setup}\n${evaluator}`;
const keysOf = (f: Figures) => new Set(f.groups.map((g) => keyOf(g.keys[0] ?? "", g.keys[1] ?? "")));

/** The monitors of which an evaluator gave no verdict on spans of a period; none where there are too many to tell. */
export async function readSilent(environment: string, within: Within, evaluator: string, signal: AbortSignal): Promise<Silent[]> {
  const asked = { ...within, by: ["setup_id", "evaluator"], measures: ["count"], top: most, ...(evaluator === "" ? {} : { evaluator }) };
  const [setups, done, all] = await Promise.all([
    readSetups(environment, signal),
    ofEvaluations(environment, { ...asked, status: "done" }, signal),
    ofEvaluations(environment, asked, signal),
  ]);
  return done.other !== undefined || all.other !== undefined ? [] : silentOf(setups, keysOf(done), keysOf(all), evaluator);
}

/** Of monitors with several evaluators those are listed that are silent. */
export function silentOf(setups: readonly Setup[], done: ReadonlySet<string>, all: ReadonlySet<string>, evaluator: string): Silent[] {
  return setups.flatMap((setup) => {
    const evaluators = setup.evaluators
      .map((e) => e.evaluator_type)
      .filter((slug) => (evaluator === "" || slug === evaluator) && !done.has(keyOf(setup.id, slug)))
      .map((slug) => ({ slug, recorded: all.has(keyOf(setup.id, slug)) }));
    return evaluators.length === 0 ? [] : [{ setup, evaluators }];
  });
}

const isBecame = (status: string): status is Became["status"] => status === "deferred" || status === "failed" || status === "skipped" || status === "uncertain";

async function readBecame(environment: string, setup: Setup, slug: string, within: Within, signal: AbortSignal): Promise<Became[]> {
  const figures = await ofEvaluations(environment, { ...within, by: ["status", "reason"], measures: ["count"], top: 20, setup: setup.id, evaluator: slug }, signal);
  return figures.groups.flatMap((g) => {
    const [status = "", reason = ""] = g.keys;
    return isBecame(status) ? [{ evaluator: slug, status, reason, n: g.total.count ?? 0 }] : [];
  });
}

/** Why a monitor gave no verdict in a period, which lasts until now where it is open, and when it gave its last one. */
export async function readWhy(environment: string, of: Silent, within: { from: number; to: number; open: boolean }, signal: AbortSignal): Promise<{ why: Why; last: string | undefined }> {
  const { setup } = of;
  const recorded = of.evaluators.filter((e) => e.recorded);
  const [status, ...parts] = await Promise.all([
    readStatus(environment, setup.id, signal),
    ...recorded.map((e) => readBecame(environment, setup, e.slug, within, signal)),
  ]);
  const counts = status.evaluators.filter((e) => of.evaluators.some((s) => s.slug === e.evaluator_type));
  const last = counts.map((e) => e.last_run ?? "").sort().at(-1);
  const told = (why: Why) => ({ why, last: last === "" ? undefined : last });
  if (recorded.length > 0) return told({ kind: "became", parts: parts.flat(), lastError: counts.find((e) => e.last_error)?.last_error ?? "" });
  if (setup.paused && setup.paused_since !== undefined) return told({ kind: "paused", since: setup.paused_since });
  if (!within.open && Date.parse(setup.created_at) / 1000 > within.to) return told({ kind: "later" });
  const funnel = await readFunnel(environment, setup.id, within.from, signal, within.to);
  if (funnel.spans === 0) return told({ kind: "nothing" });
  return told(funnel.matched > 0 ? { kind: "passed", spans: funnel.matched } : { kind: "unmatched", sentence: funnel.sentence });
}
