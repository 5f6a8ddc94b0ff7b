// SPDX-License-Identifier: Apache-2.0

import { texts } from "../texts";
import { count } from "../text/format";
import { structure } from "../text/json";
import { beginning } from "../text/visible";
import { Words } from "../text/words";
import type { TextOf } from "./message";

const t = texts.trace;
const most = 50; // tools that are listed one by one

type Tool = { name: string; description?: string; parameters?: unknown };

/** The tools that a call may use, folded. A list that the API cut is shown as text. */
export function Tools(props: { text: string; textOf: TextOf }) {
  if (props.text === "") return null;
  const list = structure(props.text);
  const tools = Array.isArray(list) ? (list as Tool[]) : undefined;
  return (
    <details class="tools">
      <summary>
        {tools ? t.tools(count(tools.length), tools.length) : t.toolsUncounted}
        {tools && <span class="hint">{beginning(tools.map((tool) => tool.name).join(", "), 120)}</span>}
      </summary>
      {tools === undefined || tools.length > most ? (
        <Words text={props.text} json {...props.textOf("tool_definitions")} />
      ) : (
        <ul>
          {tools.map((tool, i) => (
            <li key={i}>
              <p>
                <code>{beginning(tool.name, 120)}</code>
              </p>
              {tool.description !== undefined && <Words text={tool.description} first={400} />}
              {tool.parameters !== undefined && <Words text={JSON.stringify(tool.parameters)} json fixed />}
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
