// SPDX-License-Identifier: Apache-2.0

// Keys that work wherever no field has the focus.

import { singleKeys } from "./settings";

type Does = () => void;

const bound = new Map<string, Does[]>();
const sequenceTime = 1500; // milliseconds between the keys of a sequence

/** Binds a key or a sequence such as "g s" until the returned function is called; who bound it before has it again after. */
export function bind(keys: string, does: Does): () => void {
  bound.set(keys, [...(bound.get(keys) ?? []), does]);
  return () => {
    const others = (bound.get(keys) ?? []).filter((d) => d !== does);
    if (others.length > 0) bound.set(keys, others);
    else bound.delete(keys);
  };
}

function typing(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
  );
}

let first = "";
let firstAt = 0;

addEventListener("keydown", (e) => {
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
  if (!singleKeys.value || typing(e.target) || document.querySelector("dialog[open]") !== null) return;
  const sequence = first !== "" && e.timeStamp - firstAt < sequenceTime ? first + " " + e.key : e.key;
  first = "";
  const does = (bound.get(sequence) ?? bound.get(e.key))?.at(-1);
  if (does !== undefined) {
    e.preventDefault();
    does();
  } else if ([...bound.keys()].some((k) => k.startsWith(e.key + " "))) {
    first = e.key;
    firstAt = e.timeStamp;
  }
});
