// SPDX-License-Identifier: Apache-2.0

import { useRef, useState } from "preact/hooks";
import { texts } from "../texts";

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
