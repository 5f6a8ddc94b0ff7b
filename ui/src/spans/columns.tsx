// SPDX-License-Identifier: Apache-2.0

import { useRef } from "preact/hooks";
import { texts } from "../texts";
import { maxColumns } from "./state";

const t = texts.spans;

/** A field that adds a column to the list. */
export function AddColumn(props: { columns: readonly string[]; onAdd: (column: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  if (props.columns.length >= maxColumns) return null;
  const add = () => {
    const name = field.current?.value.trim() ?? "";
    if (name !== "" && !props.columns.includes(name)) props.onAdd(name);
    if (field.current) field.current.value = "";
    field.current?.focus();
  };
  return (
    <form
      class="columns"
      onSubmit={(e) => {
        e.preventDefault();
        add();
      }}
    >
      <input ref={field} aria-label={t.column} placeholder={t.column} title={t.columnHint} spellcheck={false} autocomplete="off" />
      <button type="submit">{t.addColumn}</button>
    </form>
  );
}
