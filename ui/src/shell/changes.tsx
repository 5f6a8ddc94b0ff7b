// SPDX-License-Identifier: Apache-2.0

import type { ComponentChildren } from "preact";
import { mayChange } from "../session";
import { texts } from "../texts";
import { Link } from "./link";

/** What makes or changes something: shown to who may. */
export function Changes(props: { children: ComponentChildren }) {
  return mayChange.value ? <>{props.children}</> : null;
}

/** Says that the key may not make or change anything, where it may not. */
export function OnlyReads() {
  return mayChange.value ? null : <p class="note">{texts.onlyReads}</p>;
}

/** Stands in the place of a form that the key is not good for. */
export function NoForm(props: { title: string; back: string; backTo: string }) {
  return (
    <div class="list">
      <Link href={props.back} class="back">
        ‹ {props.backTo}
      </Link>
      <h1>{props.title}</h1>
      <OnlyReads />
    </div>
  );
}
