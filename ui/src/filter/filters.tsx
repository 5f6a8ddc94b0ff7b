// SPDX-License-Identifier: Apache-2.0

import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Filter, type Operator, operators } from "../api/spans";
import { bind } from "../shell/keys";
import { texts } from "../texts";
import { visible } from "../text/visible";
import { filterOf, hasValue } from "./filter";

const t = texts.spans;
const known = ["span_name", "service_name", "span_type", "status_code", "duration", "llm.request.model", "llm.vendor", "llm.usage.total_tokens"];

/** The filters that hold, and fields to add one. */
export function Filters(props: { filters: readonly Filter[]; onChange: (filters: Filter[]) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const value = useRef<HTMLInputElement>(null);
  const [operator, setOperator] = useState<Operator>("equals");
  const id = useId();
  useLayoutEffect(() => bind("/", () => field.current?.focus()), []);

  const add = () => {
    const name = field.current?.value.trim() ?? "";
    if (name === "") {
      field.current?.focus();
      return;
    }
    props.onChange([...props.filters, filterOf(name, operator, value.current?.value ?? "")]);
    if (field.current) field.current.value = "";
    if (value.current) value.current.value = "";
    field.current?.focus();
  };

  return (
    <div class="filters">
      <form
        role="search"
        onSubmit={(e) => {
          e.preventDefault();
          add();
        }}
      >
        <input ref={field} list={id} aria-label={t.field} placeholder={t.field} spellcheck={false} autocomplete="off" />
        <datalist id={id}>
          {known.map((k) => (
            <option key={k} value={k} />
          ))}
        </datalist>
        <select aria-label={t.operator} value={operator} onChange={(e) => setOperator(operators.find((o) => o === e.currentTarget.value) ?? "equals")}>
          {operators.map((o) => (
            <option key={o} value={o}>
              {t.operators[o]}
            </option>
          ))}
        </select>
        {hasValue(operator) && <input ref={value} aria-label={t.value} placeholder={t.value} spellcheck={false} autocomplete="off" />}
        <button type="submit">{t.add}</button>
      </form>
      {props.filters.length > 0 && (
        <ul aria-label={t.filters}>
          {props.filters.map((f, i) => (
            <li key={i}>
              <span>
                {visible(f.id)} {t.operators[f.operator]} {f.value !== undefined && <b>{visible(String(f.value))}</b>}
              </span>
              <button class="quiet icon" aria-label={t.without(visible(f.id))} onClick={() => props.onChange(props.filters.filter((_, at) => at !== i))}>
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
