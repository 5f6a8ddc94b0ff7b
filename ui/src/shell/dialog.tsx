// SPDX-License-Identifier: Apache-2.0

import { type ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

/** A dialog over the page. The browser keeps the focus in it and gives it back after. */
export function Dialog(props: { title: string; children: ComponentChildren; onClose?: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => {
    const before = document.activeElement;
    const dialog = ref.current;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={title}
      onCancel={(e) => {
        e.preventDefault();
        props.onClose?.();
      }}
      onKeyDown={(e) => {
        if (e.key === "Escape") e.preventDefault(); // a browser closes it at the second one, whatever the page wants
        if (e.key === "Escape") props.onClose?.();
      }}
    >
      <h2 id={title}>{props.title}</h2>
      {props.children}
    </dialog>
  );
}
