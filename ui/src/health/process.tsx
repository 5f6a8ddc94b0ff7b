// SPDX-License-Identifier: Apache-2.0

import { type Minute, type ModelState, readSystem, type System } from "../api/system";
import { type BarPart, StackedBars } from "../chart/bars";
import { Spark } from "../chart/spark";
import { Problem } from "../shell/problem";
import { Table } from "../table/table";
import { texts } from "../texts";
import { ago, count, dollars, duration, number, size } from "../text/format";
import { visible } from "../text/visible";
import { useLoaded } from "../use";
import { Figure, Part } from "./parts";

const t = texts.health.process;
const minute = 60;

/** The minutes of the last hour, also those before the process began, which has nothing of them. */
function hourOf(minutes: readonly Minute[]): (Minute | undefined)[] {
  const end = minutes.at(-1)?.at ?? 0;
  const known = new Map(minutes.map((m) => [m.at, m]));
  return Array.from({ length: 60 }, (_, i) => known.get(end - (59 - i) * minute));
}

function Disk(props: { of: System }) {
  const { store, minutes } = props.of;
  if (store.bytes === null || store.free_bytes === null) return null;
  const parts = store.files === null ? "" : t.partitions(count(store.files), store.files);
  const said = [t.free(size(store.free_bytes)), parts, store.days_left === null ? "" : t.daysLeft(number(store.days_left)), t.diskHint];
  return (
    <Figure name={t.disk} value={size(store.bytes)} hint={said.filter((s) => s !== "").join(" ")}>
      <Spark values={hourOf(minutes).map((m) => m?.store_bytes ?? null)} name={t.diskOver} />
    </Figure>
  );
}

function Sums(props: { of: System }) {
  const { intake, backlog, memory, minutes } = props.of;
  return (
    <dl class="figures">
      <Figure name={t.running} value={ago(0, props.of.uptime_sec * 1000)} hint={t.version(visible(props.of.version))} />
      <Figure name={t.taken} value={count(intake.spans)} hint={t.takenHint(count(intake.evaluations))} />
      <Figure name={t.refused} value={count(intake.refused_spans)} hint={t.refusedHint} />
      {backlog === null ? (
        <Figure name={t.owed} value="–" hint={t.owedUnknown} />
      ) : (
        <>
          <Figure name={t.owed} value={count(backlog.evaluations)} hint={t.owedHint(count(backlog.leased))} />
          <Figure name={t.oldest} value={backlog.oldest_owed_sec === 0 ? t.nothing : duration(backlog.oldest_owed_sec * 1000)} hint={texts.health.behindHint} />
        </>
      )}
      <Figure name={t.memory} value={size(memory.resident_bytes)} hint={memory.limit_bytes === null ? t.memoryHint : t.memoryOf(size(memory.limit_bytes))}>
        <Spark values={hourOf(minutes).map((m) => m?.memory_bytes ?? null)} name={t.memoryOver} />
      </Figure>
      <Disk of={props.of} />
      <Figure name={t.store} value={props.of.store.writable ? t.writable : t.readOnly} hint={t.storeHint} />
    </dl>
  );
}

function stateOf(m: ModelState): string {
  if (m.stopped) return t.stopped;
  return m.requests === 0 && m.errors === 0 ? t.unasked : t.works;
}

function Models(props: { list: readonly ModelState[] }) {
  if (props.list.length === 0) return <p>{t.noModels}</p>;
  return (
    <Table name={t.models} texts={[t.model, t.state]} numbers={[t.requests, t.mean, t.failures, texts.health.tokens, texts.monitors.cost]}>
      {props.list.map((m) => (
        <tr key={m.name}>
          <th scope="row">{visible(m.name)}</th>
          <td>
            {m.stopped ? <span class="error">! {stateOf(m)}</span> : stateOf(m)}
            {m.last_reason !== undefined && m.last_error_at !== undefined && (
              <p class="hint">{t.lastFailure(t.reasons[m.last_reason] ?? visible(m.last_reason), ago(Date.parse(m.last_error_at), Date.now()))}</p>
            )}
          </td>
          <td class="number" data-name={t.requests}>{count(m.requests)}</td>
          <td class="number" data-name={t.mean}>{m.mean_ms === null ? "–" : duration(m.mean_ms)}</td>
          <td class="number" data-name={t.failures}>{count(m.errors)}</td>
          <td class="number" data-name={texts.health.tokens}>{count(m.prompt_tokens + m.completion_tokens)}</td>
          <td class="number" data-name={texts.monitors.cost}>{dollars(m.cost_usd)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** What the operator has to know of the process: what comes in, pending evaluations, models, disk and memory. */
export function OfProcess(props: { round: number }) {
  const system = useLoaded(readSystem, [props.round]);
  const all = system.data;
  const hour = hourOf(all?.minutes ?? []);
  const end = all?.minutes.at(-1)?.at ?? 0;
  const bars = (name: string, parts: readonly BarPart[]) => <StackedBars name={name} times={hour.map((_, i) => end - (59 - i) * minute)} step={minute} parts={parts} />;
  const each = (of: (m: Minute) => number | null) => hour.map((m) => (m === undefined ? null : of(m)));
  return (
    <>
      <p class="hint">{t.hint}</p>
      <Problem of={system} />
      {all && (
        <>
          <Sums of={all} />
          <Part title={t.models} hint={t.modelsHint}>
            <Models list={all.models} />
          </Part>
          <Part title={texts.health.spans} hint={t.spansHint}>
            {bars(texts.health.spans, [
              { name: t.stored, kind: "done", values: each((m) => m.spans) },
              { name: t.refused, kind: "failed", values: each((m) => m.refused_spans) },
            ])}
          </Part>
          <Part title={t.owedOver} hint={t.owedOverHint}>
            {bars(t.owedOver, [{ name: texts.verdicts.kinds.owed, kind: "owed", values: each((m) => m.owed_evaluations) }])}
          </Part>
          <Part title={t.requestsOver} hint={t.requestsOverHint}>
            {bars(t.requestsOver, [
              { name: t.requests, kind: "done", values: each((m) => m.model_requests) },
              { name: t.failures, kind: "failed", values: each((m) => m.model_errors) },
            ])}
          </Part>
        </>
      )}
    </>
  );
}
