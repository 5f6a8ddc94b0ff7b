// SPDX-License-Identifier: Apache-2.0

import type { ComponentChildren } from "preact";

/** The heads of columns: of texts, and behind them of numbers. */
export function Heads(props: { texts: readonly string[]; numbers: readonly string[] }) {
  return (
    <thead>
      <tr>
        {props.texts.map((c) => (
          <th scope="col" key={c}>
            {c}
          </th>
        ))}
        {props.numbers.map((c) => (
          <th scope="col" class="number" key={c}>
            {c}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** A table of rows, with columns of texts and behind them of numbers. It moves sideways where there is little room. */
export function Table(props: { name: string; texts: readonly string[]; numbers: readonly string[]; /** Whether a row opens something. */ opens?: boolean; children: ComponentChildren }) {
  return (
    <div class="across">
      <table class={props.opens ? "table opens" : "table"}>
        <caption class="unseen">{props.name}</caption>
        <Heads texts={props.texts} numbers={props.numbers} />
        <tbody>{props.children}</tbody>
      </table>
    </div>
  );
}
