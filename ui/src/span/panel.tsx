// SPDX-License-Identifier: Apache-2.0

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Filter } from "../api/spans";
import { type FullSpan, readSpan } from "../api/traces";
import { Copyable } from "../shell/copy";
import { bind } from "../shell/keys";
import { Problem } from "../shell/problem";
import { zone, zoneName } from "../shell/settings";
import { texts } from "../texts";
import { count, milliseconds, moment, nanoseconds } from "../text/format";
import { beginning, visible } from "../text/visible";
import { Words } from "../text/words";
import "./span.css";
import { change, link } from "../url";
import { useLoaded } from "../use";
import { Attributes } from "./attributes";
import { Events } from "./events";
import type { TextOf } from "./message";
import { textsOf } from "./save";
import { Talk } from "./talk";
import { type Tab, tabs } from "./tab";
import { Verdicts } from "./verdicts";

const t = texts.trace;
const day = 86_400; // seconds

/** Where spans are that have a value, around the time of this one. */
function onlyAround(span: FullSpan, f: Filter): string {
  const at = Math.floor(milliseconds(span.start_ns) / 1000);
  const filters = JSON.stringify([f]);
  if (at > Date.now() / 1000 - day) return link(["spans"], { t: "24h", filters });
  return link(["spans"], { from: String(at - day / 2), to: String(at + day / 2), filters });
}

function Facts(props: { span: FullSpan }) {
  const { span: s } = props;
  const facts: [name: string, value: string][] = [
    [t.started, `${moment(milliseconds(s.start_ns), zone.value)} ${zoneName.value}`],
    [t.took, nanoseconds(Number(s.duration_ns))],
    [t.service, s.service_name],
    [t.type, s.span_type],
    [t.kind, s.span_kind.replace("SPAN_KIND_", "").toLowerCase()],
    [t.scope, [s.scope_name, s.scope_version].filter(Boolean).join(" ")],
    [t.arrived, `${moment(milliseconds(s.arrived_ns), zone.value)} ${zoneName.value}`],
    [t.state, s.trace_state],
    [t.workflow, s.workflow],
    [t.agentVersion, s.span_attributes["agent_version"] ?? ""],
    [t.prompt, [s.span_attributes["prompt_name"], s.span_attributes["prompt_version"]].filter(Boolean).join(", ")],
    [t.conversationID, s.conversation_id],
    [t.session, s.session_id],
    [t.user, s.user_id],
  ];
  return (
    <dl class="attributes own-facts">
      {facts
        .filter(([, value]) => value !== "")
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{visible(value)}</dd>
          </div>
        ))}
      {([[t.spanID, s.span_id], [t.parentID, s.parent_span_id], [t.traceID, s.trace_id]] as const)
        .filter(([, id]) => id !== "")
        .map(([name, id]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Copyable name={name} text={id} />
            </dd>
          </div>
        ))}
    </dl>
  );
}

function Tabs(props: { tab: Tab; verdicts: number; events: number }) {
  const list = useRef<HTMLDivElement>(null);
  const choose = (tab: Tab) => change({ tab: tab === "talk" ? "" : tab }, "replace");
  useLayoutEffect(() => {
    const unbind = tabs.map((tab, i) => bind(String(i + 1), () => choose(tab)));
    return () => unbind.forEach((u) => u());
  }, []);
  const walk = (by: number) => {
    const at = (tabs.indexOf(props.tab) + by + tabs.length) % tabs.length;
    choose(tabs[at] ?? "talk");
    (list.current?.children[at] as HTMLElement | undefined)?.focus();
  };
  const numbers: Partial<Record<Tab, number>> = { verdicts: props.verdicts, events: props.events };
  return (
    <div
      class="tabs"
      role="tablist"
      aria-label={t.span}
      ref={list}
      onKeyDown={(e) => {
        if (e.key !== "ArrowLeft" && e.key !== "ArrowRight") return;
        e.preventDefault();
        walk(e.key === "ArrowLeft" ? -1 : 1);
      }}
    >
      {tabs.map((tab) => (
        <button
          key={tab}
          id={"tab-" + tab}
          role="tab"
          class="quiet"
          aria-selected={tab === props.tab}
          aria-controls="tab-panel"
          tabIndex={tab === props.tab ? 0 : -1}
          onClick={() => choose(tab)}
        >
          {t.tabs[tab]}
          {(numbers[tab] ?? 0) > 0 && <span class="hint">{count(numbers[tab] ?? 0)}</span>}
        </button>
      ))}
    </div>
  );
}

function Summary(props: { span: FullSpan }) {
  const a = props.span.span_attributes;
  const tokens = Number(a["llm.usage.total_tokens"] ?? NaN);
  const parts = [
    beginning(a["llm.response.model"] ?? a["llm.request.model"] ?? "", 60),
    nanoseconds(Number(props.span.duration_ns)),
    Number.isFinite(tokens) ? t.tokens(count(tokens)) : "",
    beginning(props.span.service_name, 60),
  ];
  return <p class="hint">{parts.filter((p) => p !== "").join(" · ")}</p>;
}

/** One span in full. changed says that something became of it, so that it is read again; tools stand above all else. */
export function Panel(props: { environment: string; trace: string; span: string; tab: Tab; changed: string; tools?: ComponentChildren }) {
  const { environment, trace, tab } = props;
  const loaded = useLoaded((signal) => readSpan(environment, trace, props.span, signal), [environment, trace, props.span, props.changed]);
  const box = useRef<HTMLElement>(null);
  const span = loaded.data;
  useEffect(() => box.current?.scrollTo({ top: 0 }), [span?.span_id, tab]);
  if (span === undefined) return <section class="panel" aria-label={t.span}>{props.tools}<Problem of={loaded} /></section>;
  const textOf: TextOf = textsOf(environment, span);
  const only = (f: Filter) => onlyAround(span, f);
  return (
    <section class="panel" aria-label={t.span} aria-busy={span.span_id !== props.span} ref={box} tabIndex={0}>
      {props.tools}
      <Problem of={loaded} />
      <h2>{beginning(span.span_name, 200)}</h2>
      <Summary span={span} />
      {span.status_code === "STATUS_CODE_ERROR" && (
        <div class="failure">
          <p class="error">! {t.error}</p>
          {span.status_message !== "" && <Words text={span.status_message} first={1000} {...textOf("status_message")} />}
        </div>
      )}
      <Tabs tab={tab} verdicts={span.verdicts.length} events={span.events.length + span.links.length} />
      <div role="tabpanel" id="tab-panel" aria-labelledby={"tab-" + tab} class="tab" key={span.span_id + tab}>
        {tab === "talk" && <Talk span={span} textOf={textOf} />}
        {tab === "verdicts" && <Verdicts environment={environment} span={span} only={only} onSaid={loaded.again} />}
        {tab === "attributes" && (
          <>
            <Facts span={span} />
            <Attributes span={span} textOf={textOf} only={only} />
          </>
        )}
        {tab === "events" && <Events span={span} textOf={textOf} />}
        {tab === "raw" && <Words text={JSON.stringify(span)} json first={20_000} />}
      </div>
    </section>
  );
}
