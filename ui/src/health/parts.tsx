// SPDX-License-Identifier: Apache-2.0

import type { ComponentChildren } from "preact";

/** A number with its name and when to worry about it. */
export function Figure(props: { name: string; value: string; hint: string; children?: ComponentChildren }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
      {props.children && <dd>{props.children}</dd>}
      <dd class="hint">{props.hint}</dd>
    </div>
  );
}

/** A part of the screen with what it says and when to worry about it. */
export function Part(props: { title: string; hint: string; children: ComponentChildren }) {
  return (
    <section>
      <h2>{props.title}</h2>
      <p class="hint">{props.hint}</p>
      {props.children}
    </section>
  );
}
