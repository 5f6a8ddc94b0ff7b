// SPDX-License-Identifier: Apache-2.0

import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Filter, type Line, type Operator, operators } from "../api/spans";
import { bind } from "../shell/keys";
import { texts } from "../texts";
import { visible } from "../text/visible";
import { filterOf, hasValue } from "./filter";

const t = texts.spans;
const known = ["span_name", "service_name", "span_type", "status_code", "duration", "llm.request.model", "llm.vendor", "llm.usage.total_tokens"];

/** A text to choose, and what is known of it. */
export type Choice = { value: string; about?: string };

/** What can be suggested while a filter is typed: fields, and values of one of them that begin in some way. */
export type Suggest = {
  /** What a line such as status:error model:gpt-4o means. */
  line: (typed: string) => Promise<Line>;
  fields: (signal: AbortSignal) => Promise<readonly Choice[]>;
  values: (field: string, typed: string, signal: AbortSignal) => Promise<readonly Choice[]>;
};

const resting = 250; // milliseconds without a key after which values are asked for

/** Texts to choose from for a field of a form, which are asked for when they are first wanted and when keys change. */
function useSuggestions(ask: ((signal: AbortSignal) => Promise<readonly Choice[]>) | undefined, keys: readonly unknown[], wait: number): readonly Choice[] {
  const [list, setList] = useState<readonly Choice[]>([]);
  useEffect(() => {
    if (ask === undefined) return setList([]);
    const left = new AbortController();
    const timer = setTimeout(() => {
      ask(left.signal).then(
        (found) => left.signal.aborted || setList(found),
        () => left.signal.aborted || setList([]), // one can type all the same
      );
    }, wait);
    return () => (clearTimeout(timer), left.abort());
  }, keys);
  return list;
}

/** Whether a text is a line of conditions, and not the name of a field. */
const isLine = (text: string) => /[:<>~"]/.test(text.replace(/^evaluation\.(sdk|human):/, ""));

/** Which filter the API refuses, where its message says so. */
export function refusedAt(message: string | undefined): number {
  return Number(/\bfilters\[(\d+)\]/.exec(message ?? "")?.[1] ?? -1);
}

type Props = { filters: readonly Filter[]; onChange: (filters: Filter[]) => void; suggest?: Suggest; /** What the API said of them, where it refused one. */ refused?: string | undefined };

/** The filters that hold, and fields to add one. */
export function Filters(props: Props) {
  const { suggest } = props;
  const refused = refusedAt(props.refused);
  const wrongId = useId();
  const [typed, setTyped] = useState({ used: false, field: "", value: "" });
  const fields = useSuggestions(typed.used ? suggest?.fields : undefined, [typed.used], 0);
  const values = useSuggestions(suggest && typed.field.trim() !== "" && !isLine(typed.field) ? (signal) => suggest.values(typed.field.trim(), typed.value, signal) : undefined, [typed.field, typed.value], resting);
  const field = useRef<HTMLInputElement>(null);
  const value = useRef<HTMLInputElement>(null);
  const [operator, setOperator] = useState<Operator>("equals");
  const [id, valueId] = [useId(), useId()];
  // Where there is little room the form is folded until the user wants it.
  const [open, setOpen] = useState(false);
  useLayoutEffect(() => {
    if (open) field.current?.focus();
  }, [open]);
  useLayoutEffect(
    () =>
      bind("/", () => {
        field.current?.focus();
        setOpen(true);
      }),
    [],
  );

  const [said, setSaid] = useState("");
  const add = async () => {
    const name = field.current?.value.trim() ?? "";
    if (name === "") {
      field.current?.focus();
      return;
    }
    const given = value.current?.value ?? "";
    setSaid("");
    let filters = [filterOf(name, operator, given)];
    if (given === "" && operator === "equals" && isLine(name) && suggest !== undefined) {
      try {
        const line = await suggest.line(name);
        filters = line.filters;
        setSaid(line.unknown.map((u) => t.unknownField(visible(u.field), u.did_you_mean === undefined ? "" : visible(u.did_you_mean))).join(" "));
      } catch (e) {
        setSaid((e instanceof Error ? e.message : String(e)).replace(/^q: /, ""));
        return;
      }
    }
    props.onChange([...props.filters, ...filters]);
    if (field.current) field.current.value = "";
    if (value.current) value.current.value = "";
    setTyped({ used: true, field: "", value: "" });
    field.current?.focus();
  };

  return (
    <div class="filters">
      <button class="asks" aria-expanded={open} onClick={() => setOpen(!open)}>
        {t.filter} <span aria-hidden="true">{open ? "▴" : "▾"}</span>
      </button>
      <form
        class={open ? undefined : "folded"}
        role="search"
        onSubmit={(e) => {
          e.preventDefault();
          void add();
        }}
      >
        <input
          ref={field}
          list={id}
          onFocus={() => setTyped((t) => ({ ...t, used: true }))}
          onInput={(e) => setTyped({ used: true, field: e.currentTarget.value, value: "" })}
          aria-label={t.field} placeholder={t.fieldHint} spellcheck={false} autocomplete="off" />
        <datalist id={id}>
          {[...fields, ...known.filter((k) => !fields.some((f) => f.value === k)).map((value): Choice => ({ value }))].map((f) => (
            <option key={f.value} value={f.value} label={f.about} />
          ))}
        </datalist>
        <select aria-label={t.operator} value={operator} onChange={(e) => setOperator(operators.find((o) => o === e.currentTarget.value) ?? "equals")}>
          {operators.map((o) => (
            <option key={o} value={o}>
              {t.operators[o]}
            </option>
          ))}
        </select>
        {hasValue(operator) && <input ref={value} dir="auto" list={valueId} onInput={({ currentTarget: { value } }) => setTyped((t) => ({ ...t, value }))} aria-label={t.value} placeholder={t.value} spellcheck={false} autocomplete="off" />}
        <datalist id={valueId}>
          {values.map((v) => (
            <option key={v.value} value={v.value} label={v.about} />
          ))}
        </datalist>
        <button type="submit">{t.add}</button>
      </form>
      {props.filters.length > 0 && (
        <ul aria-label={t.filters}>
          {props.filters.map((f, i) => (
            <li key={i} class={i === refused ? "wrong" : undefined} aria-describedby={i === refused ? wrongId : undefined}>
              <span>
                {i === refused && <span aria-hidden="true">! </span>}
                {visible(f.id)} {t.operators[f.operator]} {f.value !== undefined && <b>{f.value === "" ? '""' : visible(String(f.value))}</b>}
              </span>
              <button class="quiet icon" aria-label={t.without(visible(f.id))} onClick={() => props.onChange(props.filters.filter((_, at) => at !== i))}>
                ✕
              </button>
            </li>
          ))}
          {props.filters.length > 1 && (
            <li class="plain">
              <button class="quiet" onClick={() => props.onChange([])}>
                {t.clearShort}
              </button>
            </li>
          )}
        </ul>
      )}
      {said !== "" && (
        <p class="problem" role="alert">
          {visible(said)}
        </p>
      )}
      {refused >= 0 && (
        <p id={wrongId} class="problem" role="alert">
          {visible(props.refused ?? "")}
        </p>
      )}
    </div>
  );
}
