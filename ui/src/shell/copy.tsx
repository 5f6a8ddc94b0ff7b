// SPDX-License-Identifier: Apache-2.0

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { texts } from "../texts";
import { bind } from "./keys";

const t = texts.trace;

/** A short text with a button that copies it; where the browser does not let pages copy, it selects it. */
export function Copyable(props: { name: string; text: string }) {
  const code = useRef<HTMLElement>(null);
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(props.text);
      setSaid(t.copied);
    } catch {
      if (code.current) getSelection()?.selectAllChildren(code.current);
      setSaid(t.cannotCopy);
    }
  };
  return (
    <span class="copy">
      <code ref={code}>{props.text}</code>
      <button class="quiet" aria-label={`${t.copy} ${props.name}`} onClick={() => void copy()}>
        {t.copy}
      </button>
      <span role="status" class="hint">
        {said}
      </span>
    </span>
  );
}

/** A button that copies a text that stands beside it. */
export function CopyButton(props: { text: string; name: string }) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(props.text);
      setSaid(t.copied);
    } catch {
      setSaid(t.cannotCopy);
    }
  };
  return (
    <span class="copy">
      <span role="status" class="hint">
        {said}
      </span>
      <button class="quiet" aria-label={`${t.copy} ${props.name}`} onClick={() => void copy()}>
        {t.copy}
      </button>
    </span>
  );
}

/** A button that copies a text which is made when it is wanted. Where the browser does not let pages copy, it shows it to be selected. */
export function CopyText(props: { label: string; text: () => string; shortcut?: string }) {
  const [said, setSaid] = useState("");
  const [shown, setShown] = useState("");
  const copy = async () => {
    const text = props.text();
    try {
      await navigator.clipboard.writeText(text);
      setSaid(t.copied);
    } catch {
      setShown(text);
      setSaid(t.cannotCopy);
    }
  };
  const now = useRef(copy);
  now.current = copy;
  useLayoutEffect(() => (props.shortcut === undefined ? undefined : bind(props.shortcut, () => void now.current())), [props.shortcut]);
  return (
    <span class="copy">
      <button class="quiet" onClick={() => void copy()}>
        {props.label}
      </button>
      {shown !== "" && <input readOnly aria-label={props.label} value={shown} ref={(field) => field?.select()} onBlur={() => setShown("")} />}
      <span role="status" class="hint">
        {said}
      </span>
    </span>
  );
}
