// SPDX-License-Identifier: Apache-2.0

import { useEffect, useState } from "preact/hooks";
import { type Field, readFields } from "../api/spans";
import { CopyText } from "../shell/copy";
import { compact, setCompact } from "../shell/settings";
import { texts } from "../texts";
import { count } from "../text/format";
import { visible } from "../text/visible";
import { maxColumns, moved } from "./state";

const t = texts.spans;
const mostFields = 100; // that are listed at once

/** Fields that every row shows, or that belong to one span only. */
const shown: readonly string[] = ["span_name", "service_name", "duration", "timestamp", "llm.usage.total_tokens", "trace_id", "span_id"];

type ColumnsProps = { environment: string; from: number; columns: readonly string[]; onColumns: (columns: readonly string[]) => void };

/** The fields that may have a column, and whether they have one. */
function FieldList(props: ColumnsProps) {
  const { columns, onColumns } = props;
  const [fields, setFields] = useState<readonly Field[]>([]);
  const [sought, setSought] = useState("");
  useEffect(() => {
    const left = new AbortController();
    readFields(props.environment, props.from, left.signal).then(
      (found) => setFields(found.fields),
      () => {}, // a name can be typed all the same
    );
    return () => left.abort();
  }, [props.environment]);
  const typed = sought.trim();
  const found = fields.map((f) => f.id).filter((id) => !columns.includes(id) && !shown.includes(id) && id.toLowerCase().includes(typed.toLowerCase()));
  const full = columns.length >= maxColumns;
  const add = (column: string) => !full && column !== "" && !columns.includes(column) && onColumns([...columns, column]);
  return (
    <>
      {columns.length > 0 && (
        <ul aria-label={t.chosenColumns}>
          {columns.map((c, i) => (
            <li key={c}>
              <label class="check">
                <input type="checkbox" checked onChange={() => onColumns(columns.filter((other) => other !== c))} />
                {visible(c)}
              </label>
              {i > 0 && (
                <button class="quiet icon" aria-label={t.columnFirst(visible(c))} onClick={() => onColumns(moved(columns, c))}>
                  ↑
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      <form
        onSubmit={(e) => {
          e.preventDefault();
          add(typed);
          setSought("");
        }}
      >
        <input value={sought} onInput={(e) => setSought(e.currentTarget.value)} aria-label={t.column} placeholder={t.findColumn} title={t.columnHint} spellcheck={false} autocomplete="off" />
        <button type="submit" disabled={full}>
          {t.addColumn}
        </button>
      </form>
      <ul aria-label={t.moreColumns}>
        {found.slice(0, mostFields).map((id) => (
          <li key={id}>
            <label class="check">
              <input type="checkbox" checked={false} disabled={full} onChange={() => add(id)} />
              {visible(id)}
            </label>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Columns and density of the table, in a menu. */
export function ColumnsMenu(props: ColumnsProps) {
  const [open, setOpen] = useState(false);
  return (
    <details class="views columns" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{props.columns.length === 0 ? t.columnsMenu : `${t.columnsMenu} (${count(props.columns.length)})`}</summary>
      <div>
        <label class="check">
          <input type="checkbox" checked={compact.value} onChange={(e) => setCompact(e.currentTarget.checked)} />
          {t.compact}
        </label>
        {open && <FieldList {...props} />}
      </div>
    </details>
  );
}

/** The link of the list and a command that asks for the same. */
export function Sharing(props: { link: () => string; curl: () => string }) {
  return (
    <>
      <CopyText label={t.copyLink} text={props.link} shortcut="c" />
      <CopyText label={texts.copy.curl} text={props.curl} />
    </>
  );
}
