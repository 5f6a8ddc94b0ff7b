// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { Refusal } from "../api/http";
import { readSetup, replace, type Setup, type Status } from "../api/monitors";
import { useLoaded } from "../use";
import { type Hour, isUnexplained, readCause, type State, stateOf } from "./state";
import { mayChange } from "../session";
import { texts } from "../texts";
import { visible } from "../text/visible";

const t = texts.monitors;

const icons: Readonly<Record<State["kind"], string>> = { starting: "◌", running: "●", degraded: "!", none: "◐", unmatched: "◷", paused: "‖" };

/** What a monitor did in the last hour, in words, with why where something is wrong. */
export function StateMark(props: { environment: string; setup: Setup; hour: Hour; explain: boolean }) {
  const { environment, setup } = props;
  const state = stateOf(setup, props.hour);
  const asks = props.explain && isUnexplained(state);
  const cause = useLoaded((signal) => (asks ? readCause(environment, setup, state, signal) : Promise.resolve("")), [setup.id, setup.status, asks, state.kind]);
  return (
    <span class={"status " + state.kind}>
      <span aria-hidden="true">{icons[state.kind]}</span> {state.words}
      {(cause.data ?? "") !== "" && <span class="cause">: {cause.data}</span>}
    </span>
  );
}

/** Whether an evaluator of a monitor is ready. */
export const Readiness = (props: { status: Status }) => <span class={"status of-" + props.status}>{t.statuses[props.status]}</span>;

/** Milliseconds between looks at a monitor that is about to work, and at one that does. */
export const walking = 2000;
export const resting = 10_000;

/** Whether the status of a monitor is about to change by itself. */
export const isWalking = (s: Setup) => s.paused !== true && (s.status === "pending" || s.status === "in_progress");

/** The last segment of a monitor's address: its name, or its id where the name means a page. */
export const nameOf = (s: Pick<Setup, "external_id" | "id">) => (s.external_id === "new" ? s.id : s.external_id);

/** Pauses a monitor or resumes it. */
export function PauseButton(props: { environment: string; setup: Setup; onDone: () => void; onProblem: (message: string) => void }) {
  const { environment, setup } = props;
  const [busy, setBusy] = useState(false);
  if (!mayChange.value) return null;
  const action = setup.paused ? t.resume : t.pause;
  const change = async () => {
    if (busy) return;
    setBusy(true);
    try {
      const { tag } = await readSetup(environment, nameOf(setup), new AbortController().signal);
      await replace(environment, nameOf(setup), tag, { paused: !setup.paused });
      props.onDone();
    } catch (e) {
      props.onProblem(e instanceof Refusal && e.status === 412 ? t.changed : e instanceof Error ? e.message : String(e));
    }
    setBusy(false);
  };
  return (
    <button class="quiet" aria-disabled={busy} aria-label={t.ofName(action, visible(setup.external_id))} onClick={() => void change()}>
      {action}
    </button>
  );
}
