// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { type Alert, type AlertGroup, type Delivery, type Notification, readAlert, readHistory, removeAlert, replaceAlert, silenceAlert, testAlert, unsilenceAlert, wishOf } from "../api/alerts";
import { Confirm } from "../form/ask";
import { useRounds } from "../rounds";
import { Changes } from "../shell/changes";
import { Dialog } from "../shell/dialog";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { zone } from "../shell/settings";
import { Skeleton } from "../shell/skeleton";
import { Table } from "../table/table";
import { texts } from "../texts";
import { ago, count, lasting, minuteOf, percent } from "../text/format";
import { beginning, visible } from "../text/visible";
import { go, link } from "../url";
import { useLoaded } from "../use";
import { Course } from "./course";
import { nameOf } from "./list";
import { AlertStatus, Status } from "./status";
import { conditionText, groupText, intervalText, isBad, isSilenced, thresholdText, valueText, watchedText, worstFirst } from "./words";

const t = texts.alerts;
const every = 10_000; // milliseconds between looks

const at = (time: string) => minuteOf(Date.parse(time), zone.value, Date.now());
const saidOf = (d: Delivery) =>
  d.status === "sent" ? t.deliveries.sent(at(d.sent_at ?? "")) : d.status === "pending" ? t.deliveries.pending(d.attempts, d.next_attempt_at === undefined ? "" : at(d.next_attempt_at)) : t.deliveries.failed(d.attempts);

/** What became of a message at each target. */
function Deliveries(props: { of: readonly Delivery[] }) {
  return (
    <ul class="deliveries">
      {props.of.map((d) => (
        <li key={d.target}>
          {visible(d.target)}: <span class={d.status === "sent" ? undefined : "problem"}>{saidOf(d)}</span>
          {d.error !== undefined && d.error !== "" && <span class="hint"> {beginning(d.error, 300)}</span>}
        </li>
      ))}
    </ul>
  );
}

function Groups(props: { of: Alert; now: number }) {
  const { of: a } = props;
  if (a.groups.length === 0) return <p>{t.noGroups}</p>;
  return (
    <>
      <Table name={t.groups} texts={[t.columns.group, t.columns.status, t.columns.since]} numbers={[t.columns.value, t.columns.interval, t.columns.bound, t.columns.traces, t.columns.coverage]}>
        {worstFirst(a).map((g) => (
          <tr key={g.keys.join("\n")}>
            <th scope="row">{beginning(groupText(g), 120)}</th>
            <td>
              <Status of={g.status} />
            </td>
            <td data-name={t.columns.since}>{g.since === undefined ? "–" : texts.monitors.ago(ago(Date.parse(g.since), props.now))}</td>
            <td class="number" data-name={t.columns.value}>{g.value === null ? "–" : valueText(a.metric, g.value)}</td>
            <td class="number" data-name={t.columns.interval}>{intervalText(a.metric, g)}</td>
            <td class="number" data-name={t.columns.bound}>{g.bound === null ? "–" : valueText(a.metric, g.bound)}</td>
            <td class="number" data-name={t.columns.traces}>{count(g.traces)}</td>
            <td class="number" data-name={t.columns.coverage}>{g.coverage === null ? "–" : percent(g.coverage)}</td>
          </tr>
        ))}
      </Table>
      {a.metric === "duration_p95" && <p class="hint">{t.p95Hint(thresholdText(a.metric, a.condition.above ?? 0))}</p>}
      {a.groups_ignored && <p class="note">{t.ignored}</p>}
    </>
  );
}

const change = (a: Alert, g: AlertGroup) => t.changed(groupText(g), t.statuses[g.before ?? "learning"], t.statuses[g.status], g.value === null ? "–" : valueText(a.metric, g.value));

function History(props: { of: Alert; list: readonly Notification[] }) {
  if (props.list.length === 0) return <p>{t.noHistory}</p>;
  return (
    <Table name={t.history} texts={[t.columns.time, t.columns.changes, t.columns.messages]} numbers={[]}>
      {props.list.map((n) => (
        <tr key={n.id}>
          <th scope="row">{at(n.time)}</th>
          <td>
            {n.groups.map((g) => (
              <p key={g.keys.join("\n")} class={isBad(g.status) ? "problem" : undefined}>
                {beginning(change(props.of, g), 300)}
              </p>
            ))}
          </td>
          <td data-name={t.columns.messages}>{n.silenced ? t.wasSilenced : n.deliveries.length === 0 ? t.noTargets : <Deliveries of={n.deliveries} />}</td>
        </tr>
      ))}
    </Table>
  );
}

const silences = [3600, 4 * 3600, 86_400, 7 * 86_400] as const; // seconds

/** Asks for how long an alert is to send nothing, and why. */
function Silence(props: { name: string; onClose: () => void; onSilence: (seconds: number, reason: string) => Promise<void> }) {
  const [seconds, setSeconds] = useState<number>(silences[0]);
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState("");
  const submit = async () => {
    try {
      await props.onSilence(seconds, reason);
      props.onClose();
    } catch (e) {
      setProblem(e instanceof Error ? e.message : String(e));
    }
  };
  return (
    <Dialog title={t.silenceTitle(visible(props.name))} onClose={props.onClose}>
      <form
        class="field"
        onSubmit={(e) => {
          e.preventDefault();
          void submit();
        }}
      >
        <p>{t.silenceHint}</p>
        <label for="silence-time">{t.silenceFor}</label>
        <select id="silence-time" value={seconds} onChange={(e) => setSeconds(Number(e.currentTarget.value))}>
          {silences.map((s) => (
            <option key={s} value={s}>
              {lasting(s)}
            </option>
          ))}
        </select>
        <label for="silence-reason">{t.silenceReason}</label>
        <input id="silence-reason" autocomplete="off" value={reason} onInput={(e) => setReason(e.currentTarget.value)} />
        {problem !== "" && <p class="problem">{visible(problem)}</p>}
        <p class="actions">
          <button type="submit">{t.silence}</button>
          <button type="button" onClick={props.onClose}>
            {texts.monitors.cancel}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

/** What a test message would say now, and what became of it. */
type Tested = { rings: readonly AlertGroup[]; deliveries: readonly Delivery[] };

/** One alert: how its groups are, the course of what it watches, and what was sent. */
export function Detail(props: { environment: string; name: string }) {
  const { environment, name } = props;
  const { round, again } = useRounds(every);
  const read = useLoaded(
    async (signal) => {
      const [alert, history] = await Promise.all([readAlert(environment, name, signal), readHistory(environment, name, signal)]);
      return { alert, history, now: Date.now() };
    },
    [environment, name, round],
  );
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const [asks, setAsks] = useState<"silence" | "remove">();
  const [tested, setTested] = useState<Tested>();
  const a = read.data?.alert;
  const does = async (work: () => Promise<unknown>) => {
    if (busy) return;
    setBusy(true);
    setProblem("");
    try {
      await work();
    } catch (e) {
      setProblem(e instanceof Error ? e.message : String(e));
    }
    setBusy(false);
    again();
  };
  const test = (of: Alert) =>
    does(async () => {
      const deliveries = of.targets.length === 0 ? [] : await testAlert(environment, name);
      const now = await readAlert(environment, name, new AbortController().signal);
      setTested({ rings: worstFirst(now).filter((g) => isBad(g.status)), deliveries });
    });
  const silenced = a !== undefined && isSilenced(a, read.data?.now ?? 0);
  return (
    <div class="list wide">
      <Link href={link(["alerts"])} class="back">
        ‹ {t.title}
      </Link>
      <div class="head">
        <h1>{visible(a?.name ?? name)}</h1>
        {a && read.data && <div><AlertStatus of={a} now={read.data.now} /></div>}
        {a && (
          <Changes>
            <button aria-disabled={busy} onClick={() => void test(a)}>{t.test}</button>
            {silenced ? (
              <button aria-disabled={busy} onClick={() => void does(() => unsilenceAlert(environment, name))}>{t.unsilence}</button>
            ) : (
              <button aria-haspopup="dialog" onClick={() => setAsks("silence")}>{t.silence}</button>
            )}
            <button aria-disabled={busy} onClick={() => void does(() => replaceAlert(environment, name, { ...wishOf(a), paused: !a.paused }))}>{a.paused ? texts.monitors.resume : texts.monitors.pause}</button>
            <Link href={link(["alerts", nameOf(a), "edit"])} class="button">
              {t.edit}
            </Link>
            <button aria-haspopup="dialog" onClick={() => setAsks("remove")}>{t.remove}</button>
          </Changes>
        )}
      </div>
      {problem !== "" && (
        <p class="problem" role="alert">
          {visible(problem)}
        </p>
      )}
      <Problem of={read} />
      {a === undefined && read.error === undefined && <Skeleton rows={8} />}
      <div role="status">
        {tested !== undefined && a !== undefined && (
          <div class="note">
            <p>{tested.rings.length === 0 ? t.ringsNot : t.rings(tested.rings.map((g) => t.at(beginning(groupText(g), 80), g.value === null ? "–" : valueText(a.metric, g.value))).join(", "))}</p>
            {tested.deliveries.length === 0 ? <p>{t.sentNowhere}</p> : <Deliveries of={tested.deliveries} />}
          </div>
        )}
      </div>
      {a && (
        <>
          <p>
            {watchedText(a)} {conditionText(a.metric, a.condition)}. <span class="hint">{t.overWindow(lasting(a.window_sec))}</span>
          </p>
          {a.silence_reason && silenced && <p class="note">{beginning(a.silence_reason, 300)}</p>}
          {a.error_message && <p class="problem">{beginning(a.error_message, 300)}</p>}
          <section>
            <h2>{t.groups}</h2>
            <Groups of={a} now={read.data?.now ?? 0} />
          </section>
          <section>
            <h2>{t.course}</h2>
            <Course environment={environment} watched={a} condition={a.condition} />
          </section>
          <section>
            <h2>{t.history}</h2>
            <History of={a} list={read.data?.history ?? []} />
          </section>
          <section>
            <h2>{t.targets}</h2>
            {a.targets.length === 0 ? (
              <p>{t.noTargetsHint}</p>
            ) : (
              <ul class="listed">
                {a.targets.map((one) => (
                  <li key={one.name}>
                    {visible(one.name)} <span class="hint">{t.targetOf(t.types[one.type], visible(one.host), one.has_secret)}</span>
                  </li>
                ))}
              </ul>
            )}
          </section>
        </>
      )}
      {asks === "silence" && a && (
        <Silence
          name={a.name}
          onClose={() => setAsks(undefined)}
          onSilence={async (seconds, reason) => {
            await silenceAlert(environment, name, seconds, reason);
            again();
          }}
        />
      )}
      {asks === "remove" && a && (
        <Confirm
          title={t.removeTitle(visible(a.name))}
          hint={t.removeHint}
          name={a.name}
          action={t.remove}
          onClose={() => setAsks(undefined)}
          onDone={async () => {
            await removeAlert(environment, name);
            go(link(["alerts"]));
          }}
        />
      )}
    </div>
  );
}
