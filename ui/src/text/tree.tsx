// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { texts } from "../texts";
import { count, size } from "./format";
import { type Branch, isBranch, type Scalar, valuesOf } from "./json";
import { encodedOf, withoutEncoded } from "./encoded";
import { Picture } from "./picture";
import { upTo, visible } from "./visible";
import "./tree.css";

const t = texts.text;
const page = 100; // members
const brief = 1500; // characters of a JSON text that is opened whole
const firstCharacters = 1000;

/** A text or a number, the beginning of it where it is long. */
function Leaf(props: { value: Scalar }) {
  const { value } = props;
  const [length, setLength] = useState(firstCharacters);
  const encoded = value.kind === "text" ? encodedOf(value.text) : undefined;
  if (encoded !== undefined) return <Picture of={encoded} />;
  const text = value.kind === "text" ? withoutEncoded(value.text) : value.text;
  return (
    <>
      <span class={value.kind === "text" ? "leaf quoted" : "leaf"}>{visible(upTo(text, length)) + (text.length > length ? "…" : "")}</span>
      {text.length > length && (
        <button class="quiet" onClick={() => setLength(length * 8)}>
          {texts.trace.moreText(size(Math.min(text.length, length * 8) - length))}
        </button>
      )}
    </>
  );
}

/** The members of an object or a list, each on a line, page by page. */
function Members(props: { of: Branch; open: boolean }) {
  const { members, kind } = props.of;
  const [most, setMost] = useState(page);
  return (
    <ul class="members">
      {members.slice(0, most).map(({ name, value }, i) => (
        <li key={i}>
          {isBranch(value) ? (
            <Inner name={name} of={value} open={props.open} />
          ) : (
            <>
              <span class={kind === "list" ? "key number" : "key"}>{visible(upTo(name, 200))}</span> <Leaf value={value} />
            </>
          )}
        </li>
      ))}
      {members.length > most && (
        <li>
          <button class="quiet" onClick={() => setMost(most * 4)}>
            {texts.spans.more(count(most), count(members.length))}
          </button>
        </li>
      )}
    </ul>
  );
}

function Inner(props: { name: string; of: Branch; open: boolean }) {
  const [isOpen, setOpen] = useState(props.open);
  const n = props.of.members.length;
  return (
    <details open={isOpen} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>
        <span class="key">{visible(upTo(props.name, 200))}</span> <span class="hint">{props.of.kind === "list" ? t.items(count(n), n) : t.members(count(n), n)}</span>
      </summary>
      {isOpen && <Members of={props.of} open={props.open} />}
    </details>
  );
}

/** A text that is a JSON object or list as a tree that opens level by level. */
export function JSONTree(props: { text: string }) {
  const root = valuesOf(props.text);
  if (root === undefined) return <p>{visible(props.text)}</p>;
  return (
    <div class="json">
      {root.members.length === 0 ? <p class="hint">{root.kind === "list" ? t.items("0", 0) : t.members("0", 0)}</p> : <Members of={root} open={props.text.length <= brief} />}
    </div>
  );
}
