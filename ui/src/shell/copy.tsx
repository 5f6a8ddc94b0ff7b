// SPDX-License-Identifier: Apache-2.0

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { texts } from "../texts";
import { bind } from "./keys";

const t = texts.copy;

const shown = 3000; // milliseconds that it says so

/** Copies texts and says what came of it; where the browser lets no page copy, select has to make the text selected. */
export function useCopy(select?: (text: string) => void) {
  const [said, setSaid] = useState("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid(t.copied);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setSaid(""), shown);
    } catch {
      select?.(text);
      setSaid(t.cannot);
    }
  };
  const status = (
    <span role="status" class="hint">
      {said}
    </span>
  );
  return { copy: (text: string) => void copy(text), status };
}

/** Makes all that is inside an element selected. */
const selectInside = (element: HTMLElement | null) => element !== null && getSelection()?.selectAllChildren(element);

/** A short text with a button that copies it. */
export function Copyable(props: { name: string; text: string }) {
  const code = useRef<HTMLElement>(null);
  const { copy, status } = useCopy(() => selectInside(code.current));
  return (
    <span class="copy">
      <code ref={code}>{props.text}</code>
      <button type="button" class="quiet" aria-label={`${t.copy} ${props.name}`} onClick={() => copy(props.text)}>
        {t.copy}
      </button>
      {status}
    </span>
  );
}

/** Lines of text with a button that copies them. */
export function CopyableLines(props: { name: string; text: string }) {
  const lines = useRef<HTMLPreElement>(null);
  const { copy, status } = useCopy(() => selectInside(lines.current));
  return (
    <div class="copyable">
      <pre ref={lines} tabIndex={0} aria-label={props.name}>
        {props.text}
      </pre>
      <button type="button" onClick={() => copy(props.text)}>{t.copy}</button>
      {status}
    </div>
  );
}

/** A button that copies the text next to it. */
export function CopyButton(props: { text: string; name: string }) {
  const { copy, status } = useCopy();
  return (
    <span class="copy">
      {status}
      <button type="button" class="quiet" aria-label={`${t.copy} ${props.name}`} onClick={() => copy(props.text)}>
        {t.copy}
      </button>
    </span>
  );
}

/** A button that copies a text which is made when it is wanted. Where the browser lets no page copy, a field shows it, selected. */
export function CopyText(props: { label: string; text: () => string; shortcut?: string }) {
  const [shown, setShown] = useState("");
  const { copy, status } = useCopy(setShown);
  const now = useRef(() => {});
  now.current = () => copy(props.text());
  useLayoutEffect(() => (props.shortcut === undefined ? undefined : bind(props.shortcut, () => now.current())), [props.shortcut]);
  return (
    <span class="copy">
      <button type="button" class="quiet" onClick={() => now.current()}>
        {props.label}
      </button>
      {shown !== "" && <input readOnly aria-label={props.label} value={shown} ref={(field) => field?.select()} onBlur={() => setShown("")} />}
      {status}
    </span>
  );
}
