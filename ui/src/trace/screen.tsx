// SPDX-License-Identifier: Apache-2.0

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { readMe } from "../api/me";
import { readTrace, type Trace } from "../api/traces";
import { Back } from "../explore/back";
import { CopyText } from "../shell/copy";
import { bind } from "../shell/keys";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { Skeleton } from "../shell/skeleton";
import { Panel } from "../span/panel";
import { texts } from "../texts";
import { count, milliseconds, nanoseconds } from "../text/format";
import { beginning } from "../text/visible";
import { change, format, listBefore, place } from "../url";
import { useLoaded } from "../use";
import { Icon } from "../verdict/badge";
import { kinds } from "../verdict/kind";
import { Conversation, type Call } from "./conversation";
import { Download } from "./download";
import { useFolding } from "./folding";
import { above, hitsOf, leftOut, listOf, type Model, modelOf, runsAround, shows, treeOf } from "./model";
import { type Moves, Rows } from "./rows";
import { type View, views, type Wanted, wanted } from "./state";
import type { Cut } from "./time";
import { Summary } from "./summary";
import "./trace.css";

export { ConversationScreen } from "./session";

const t = texts.trace;
const settling = 150; // milliseconds without a move after which a span is loaded
const followed = 60_000; // milliseconds after its end in which a trace may grow
const every = 5_000;

const total = (column: readonly (number | null)[]) => column.reduce<number>((sum, n) => sum + (n ?? 0), 0);

/** Chooses how the trace is shown. */
function Views(props: { shown: View }) {
  return (
    <div class="choice" role="group" aria-label={t.view}>
      {views.map((v) => (
        <button key={v} aria-pressed={v === props.shown} onClick={() => change({ view: v === "tree" ? "" : v })}>
          {t.views[v]}
        </button>
      ))}
    </div>
  );
}

function Head(props: { model: Model; follows: boolean }) {
  const { trace, tree } = props.model;
  const { columns, dictionaries } = trace;
  const first = tree.order[0] ?? 0;
  const tokens = total(columns.tokens);
  return (
    <div class="head">
      <Back />
      <h1>{beginning(dictionaries.name[columns.name[first] ?? -1] ?? "", 120)}</h1>
      <ul class="sums">
        <li>{t.spans(count(trace.total), trace.total)}</li>
        <li>{nanoseconds(Number(trace.duration_ns))}</li>
        {tokens > 0 && <li>{t.tokens(count(tokens))}</li>}
        {kinds.map((kind) => {
          const n = total(columns.verdicts[kind]);
          return (
            n > 0 && (
              <li key={kind}>
                <Icon kind={kind} /> <span aria-hidden="true">{texts.verdicts.counted[kind](count(n))}</span>
                <span class="unseen">{count(n)}</span>
              </li>
            )
          );
        })}
      </ul>
      {trace.truncated && <p class="hint">{t.shown(count(columns.span_id.length), count(trace.total))}</p>}
      {props.follows && <p class="hint">{t.follows}</p>}
    </div>
  );
}

/** Whether a trace ended so lately that spans of it may still come. */
const isFresh = (trace: Trace) => milliseconds(trace.start_ns) + Number(trace.duration_ns) / 1e6 > Date.now() - followed;

/** The address of what is shown, with the time near which the trace is found at once. */
const linkTo = (trace: Trace) => () => {
  const { path, params } = place.value;
  return location.origin + format({ path, params: { ...params, at: String(Math.floor(milliseconds(trace.start_ns) / 1000)) } });
};

/** What one can do with the whole trace. */
function Ends(props: { environment: string; trace: Trace; view: View }) {
  return (
    <div class="ends">
      <Views shown={props.view} />
      <CopyText label={texts.spans.copyLink} text={linkTo(props.trace)} shortcut="c" />
      <Download environment={props.environment} trace={props.trace} />
    </div>
  );
}

function Tools(props: { environment: string; trace: Trace; wanted: Wanted; hits: readonly number[]; at: number; onHit: (by: number) => void }) {
  const { wanted: w, hits } = props;
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => bind("f", () => field.current?.focus()), []);
  return (
    <div class="find">
      <form
        role="search"
        onSubmit={(e) => {
          e.preventDefault();
          props.onHit(1);
        }}
      >
        <input ref={field} dir="auto" type="search" aria-label={t.find} placeholder={t.find} value={w.q} spellcheck={false} autocomplete="off" onInput={(e) => change({ q: e.currentTarget.value }, "replace")} />
        {w.q !== "" && (
          <>
            <button type="button" class="quiet icon" aria-label={t.previous} onClick={() => props.onHit(-1)}>
              ‹
            </button>
            <button type="submit" class="quiet icon" aria-label={t.next}>
              ›
            </button>
          </>
        )}
        <p role="status" class="hint">
          {w.q !== "" && t.hits(props.at + 1, hits.length)}
        </p>
      </form>
      <label>
        <span class="hint">{t.show}</span>
        <select value={w.show} onChange={(e) => change({ show: e.currentTarget.value === "all" ? "" : e.currentTarget.value })}>
          {shows.map((s) => (
            <option key={s} value={s}>
              {t.shows[s]}
            </option>
          ))}
        </select>
      </label>
      <Ends environment={props.environment} trace={props.trace} view={w.view} />
    </div>
  );
}

/** The span after (or, with by -1, before) one, in the order of rows, of which something holds; the circle closes at the end. */
function nextOf(order: readonly number[], row: Int32Array, from: number, by: number): number | undefined {
  const at = row[from] ?? -1;
  if (by > 0) return order.find((s) => (row[s] ?? -1) > at) ?? order[0];
  return order.filter((s) => (row[s] ?? -1) < at).at(-1) ?? order.at(-1);
}

/** A trace as it was read: tree, waterfall, and the chosen span. */
function Loaded(props: { environment: string; model: Model; wanted: Wanted }) {
  const { model, wanted: w, environment } = props;
  const { columns } = model.trace;
  const [chosen, setChosen] = useState(w.span);
  const moves = useRef<Moves>(null);
  const isList = w.view === "spans";
  const tree = useMemo(() => {
    const wanted = treeOf(model, w.show);
    return isList ? listOf(wanted) : wanted;
  }, [model, w.show, isList]);
  const hidden = useMemo(() => (isList || w.show !== "llm" ? undefined : leftOut(model)), [model, w.show, isList]);
  const hits = useMemo(() => hitsOf(model, tree, w.q), [model, tree, w.q]);
  const found = useMemo(() => new Set(hits), [hits]);
  const wantedAt = chosen === "" ? -1 : columns.span_id.indexOf(chosen);
  const folding = useFolding(model, tree, isList);
  const { rows, runs } = folding;
  const active = wantedAt >= 0 && (tree.row[wantedAt] ?? -1) >= 0 ? wantedAt : (rows[0] ?? -1);
  const idOf = (span: number) => columns.span_id[span] ?? "";
  // A span that is chosen may be one of those for which there was no room in the tree.
  const isBeyond = model.trace.truncated && chosen !== "" && wantedAt < 0;
  const inPanel = isBeyond ? chosen : idOf(active);

  // The address follows when the moves end, and moves follow the address where
  // another user changed it.
  const told = useRef(w.span);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (chosen === "" || chosen === place.value.params.span) return;
      told.current = chosen;
      change({ span: chosen }, "replace");
    }, settling);
    return () => clearTimeout(timer);
  }, [chosen]);
  useEffect(() => {
    if (w.span === told.current) return;
    told.current = w.span;
    setChosen(w.span);
  }, [w.span]);
  const [settled, setSettled] = useState(inPanel);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(inPanel), settling);
    return () => clearTimeout(timer);
  }, [inPanel]);

  useLayoutEffect(() => {
    if (active >= 0 && !rows.includes(active)) folding.unhide(active);
  }, [active, tree]);
  // Who is inside of what is folded away stands on what is left of it.
  const fold = (span: number, on: boolean) => {
    folding.fold(span, on);
    if (on && above(tree, active).includes(span)) setChosen(idOf(span));
  };
  const close = (head: number, on: boolean) => {
    folding.close(head, on);
    if (on && runsAround(tree, runs, active).includes(head)) setChosen(idOf(head));
  };
  const goTo = (span: number | undefined) => span !== undefined && setChosen(idOf(span));
  const ofAll = (holds: (span: number) => boolean) => Array.from(tree.order).filter(holds);
  const [part, setPart] = useState<Cut>();
  const zoom = () => {
    const from = columns.offset_ns[active] ?? 0;
    setPart(part === undefined && active >= 0 ? { from, to: from + (columns.duration_ns[active] ?? 0) } : undefined);
  };
  const now = useRef({ step: (_: number) => {}, error: () => {}, against: () => {}, zoom });
  now.current = {
    step: (by) => moves.current?.step(by),
    error: () => goTo(nextOf(ofAll(model.isError), tree.row, active, 1)),
    against: () => goTo(nextOf(ofAll((s) => (columns.verdicts.against[s] ?? 0) > 0), tree.row, active, 1)),
    zoom,
  };
  useLayoutEffect(() => {
    const unbind = [
      bind("j", () => now.current.step(1)),
      bind("k", () => now.current.step(-1)),
      bind("e", () => now.current.error()),
      bind("v", () => now.current.against()),
      bind("z", () => now.current.zoom()),
    ];
    return () => unbind.forEach((u) => u());
  }, []);

  const shownSpan = columns.span_id.indexOf(settled);
  const changed = kinds.map((kind) => columns.verdicts[kind][shownSpan] ?? 0).join();
  const end = Number(model.trace.duration_ns);
  return (
    <>
      <Tools environment={environment} trace={model.trace} wanted={w} hits={hits} at={hits.indexOf(active)} onHit={(by) => goTo(nextOf(hits, tree.row, active, by))} />
      {rows.length === 0 ? (
        <div class="empty">
          <p>{t.nothing}</p>
          <p class="actions">
            <button onClick={() => change({ show: "" })}>{t.all}</button>
          </p>
        </div>
      ) : (
        <div class="trace">
          <div class="tree">
            <div class="axis">
              <button class="quiet" aria-pressed={part !== undefined} onClick={() => now.current.zoom()}>
                {part === undefined ? t.zoom : t.whole}
              </button>
              <p>
                <span aria-hidden="true">{nanoseconds(part?.from ?? 0)}</span>
                {part === undefined && model.cut ? <span>{t.cut(nanoseconds(model.cut.to - model.cut.from))}</span> : <span aria-hidden="true">{nanoseconds(((part?.from ?? 0) + (part?.to ?? end)) / 2)}</span>}
                <span aria-hidden="true">{nanoseconds(part?.to ?? end)}</span>
              </p>
            </div>
            <Rows
              model={model}
              tree={tree}
              rows={rows}
              active={active}
              folded={folding.folded}
              runs={runs}
              closed={folding.closed}
              leftOut={hidden}
              hits={found}
              part={part}
              onActive={(span) => setChosen(idOf(span))}
              onFold={fold}
              onRun={close}
              onEnter={() => document.querySelector<HTMLElement>("[role=tab][aria-selected=true]")?.focus()}
              moves={moves}
            />
          </div>
          {settled !== "" && (
            <Panel
              environment={environment}
              trace={model.trace.trace_id}
              span={settled}
              tab={w.tab}
              changed={changed}
              tools={isBeyond && settled === chosen && <p class="hint">{t.beyond(count(model.size))}</p>}
            />
          )}
        </div>
      )}
    </>
  );
}

/** Says that a trace is not there, and which retention may be why. */
function Unknown(props: { environment: string }) {
  const me = useLoaded((signal) => readMe(props.environment, signal), [props.environment]);
  const hours = me.data?.environment?.retention_hours;
  return (
    <div class="reading">
      <h1>{t.title}</h1>
      <p>{t.unknown}</p>
      <p class="hint">{hours === undefined ? t.unknownHint : t.unknownAfter(texts.environment.hours(hours))}</p>
      <p class="actions">
        <Link href={listBefore.value.href} class="button">
          {texts.explore.lists[listBefore.value.list]}
        </Link>
      </p>
    </div>
  );
}

/** The calls of models of a trace, the first ones first. */
const callsOf = ({ trace: { trace_id, columns, dictionaries } }: Model): Call[] =>
  columns.span_id.flatMap((span_id, i) => (dictionaries.type[columns.type[i] ?? -1] === "llm" ? [{ trace_id, span_id }] : []));

/** The address of a span in the tree of the trace. */
const inTree = ({ span_id }: Call) => format({ path: place.value.path, params: { ...place.value.params, view: "", span: span_id } });

function TraceOf(props: { environment: string; id: string }) {
  const w = wanted(place.value.params);
  const [round, setRound] = useState(0);
  const loaded = useLoaded((signal) => readTrace(props.environment, props.id, w.at, signal), [props.environment, props.id, w.at, round]);
  const model = useMemo(() => (loaded.data === undefined ? undefined : modelOf(loaded.data)), [loaded.data]);
  const follows = loaded.data !== undefined && isFresh(loaded.data);
  useEffect(() => {
    if (!follows) return;
    const timer = setTimeout(() => setRound((n) => n + 1), every);
    return () => clearTimeout(timer);
  }, [loaded.data, follows]);
  if (model === undefined && loaded.error?.status === 404) return <Unknown environment={props.environment} />;
  return (
    <div class="list wide">
      {model === undefined ? <h1>{t.title}</h1> : <Head model={model} follows={follows} />}
      <Problem of={loaded} />
      {model === undefined && loaded.error === undefined && <Skeleton rows={12} />}
      {model && model.size > 1 && w.view === "tree" && <Summary environment={props.environment} model={model} />}
      {model && w.view === "conversation" && (
        <div class="find">
          <Ends environment={props.environment} trace={model.trace} view={w.view} />
        </div>
      )}
      {model && (w.view === "conversation" ? <Conversation environment={props.environment} calls={callsOf(model)} href={inTree} /> : <Loaded environment={props.environment} model={model} wanted={w} />)}
    </div>
  );
}

/** One trace: what happened, what was said, what was found, and why something was not judged. */
export function TraceScreen(props: { environment: string }) {
  const id = place.value.path[1] ?? "";
  return <TraceOf key={id} environment={props.environment} id={id} />;
}
