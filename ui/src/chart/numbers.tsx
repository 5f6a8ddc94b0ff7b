// SPDX-License-Identifier: Apache-2.0

import type { ComponentChildren } from "preact";
import { Heads } from "../table/table";
import { texts } from "../texts";
import { go } from "../url";

/** A row of the table of a chart: what stands at its head, and in each column. */
export type NumberRow = { at: number; head: ComponentChildren; cells: readonly ComponentChildren[] };

/** A link of a chart, which changes the address and loads nothing again. */
export function ChartLink(props: { href: string; class?: string; children: ComponentChildren }) {
  return (
    <a
      class={props.class}
      href={props.href}
      onClick={(e) => {
        e.preventDefault();
        go(props.href);
      }}
    >
      {props.children}
    </a>
  );
}

/** The same numbers as a chart has, as a table. */
export function Numbers(props: { name: string; columns: readonly string[]; rows: readonly NumberRow[] }) {
  return (
    <div class="numbers" tabIndex={0} role="region" aria-label={props.name}>
      <table class="table">
        <caption class="unseen">{props.name}</caption>
        <Heads texts={[texts.chart.time]} numbers={props.columns} />
        <tbody>
          {props.rows.map((row) => (
            <tr key={row.at}>
              <th scope="row">{row.head}</th>
              {row.cells.map((cell, i) => (
                <td class="number" key={i} data-name={props.columns[i]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
