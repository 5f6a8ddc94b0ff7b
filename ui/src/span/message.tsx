// SPDX-License-Identifier: Apache-2.0

import { CopyButton } from "../shell/copy";
import { texts } from "../texts";
import { withoutEncoded } from "../text/encoded";
import { size } from "../text/format";
import { type Call, type Exchange, isCutParts, type Message } from "../text/messages";
import { Picture } from "../text/picture";
import { beginning, visible } from "../text/visible";
import { formatsOf, RoleFormats, Words } from "../text/words";

const t = texts.trace;
const longSystem = 400; // characters above which a system message is folded
const known = ["system", "developer", "user", "assistant", "tool"];

/** Gives what Words needs of a text that stands in a field of the span. */
export type TextOf = (field: string) => { whole?: number | undefined; download?: (() => Promise<void>) | undefined };

/** Where a message stands in the answer of the API. */
const fieldOf = (attribute: string) => (attribute.startsWith("llm.prompts.") ? "prompts." : "completions.") + attribute;

const lengthOf = (m: Message) => m.parts.reduce((sum, p) => sum + (p.kind === "text" ? p.text.length : 0), 0);
const textsOf = (m: Message) => m.parts.flatMap((p) => (p.kind === "text" ? [p.text] : [])).join("\n\n");

/** What the texts of a message can be shown as. */
const waysOf = (m: Message) => [...new Set(m.parts.flatMap((p) => (p.kind === "text" ? formatsOf(p.text) : [])))];

function Parts(props: { message: Message; textOf: TextOf }) {
  const { message: m } = props;
  const cut = props.textOf(fieldOf(m.field));
  return (
    <>
      {m.parts.map((p, i) => {
        if (p.kind === "file") return <Picture key={i} of={p.file} />;
        if (p.kind === "text") return <Words key={i} text={cut.whole !== undefined && isCutParts(p.text) ? withoutEncoded(p.text) : p.text} role={m.role} {...cut} />;
        return (
          <p key={i} class="part">
            [{t.part(beginning(p.type, 60), size(p.characters))}]
          </p>
        );
      })}
    </>
  );
}

/** A call of a tool, with what the tool answered. */
function ToolCall(props: { call: Call; result: Message | undefined; textOf: TextOf }) {
  const { call: c, result } = props;
  return (
    <div class="call">
      <p>
        <span aria-hidden="true">→ </span>
        {t.calls(beginning(c.name, 120))} {c.id !== "" && <span class="hint">{beginning(c.id, 60)}</span>}
      </p>
      {c.arguments !== "" && <Words text={c.arguments} json fixed {...props.textOf(fieldOf(c.field))} />}
      {result && (
        <div class="result">
          <p>
            <span aria-hidden="true">← </span>
            {t.result}
          </p>
          <Parts message={result} textOf={props.textOf} />
        </div>
      )}
    </div>
  );
}

function Said(props: { of: Exchange; textOf: TextOf }) {
  const { message: m, results } = props.of;
  return (
    <>
      <Parts message={m} textOf={props.textOf} />
      {m.calls.map((c, i) => (
        <ToolCall key={i} call={c} result={results[i]} textOf={props.textOf} />
      ))}
      {m.rest.slice(0, 20).map(([name, value]) => (
        <p class="hint" key={name}>
          {beginning(name, 60)}: {beginning(value, 400)}
        </p>
      ))}
    </>
  );
}

/** One message. A long one of a system is folded. */
export function OneMessage(props: { of: Exchange; textOf: TextOf }) {
  const { message: m } = props.of;
  const role = m.role.toLowerCase();
  const long = (role === "system" || role === "developer") && lengthOf(m) > longSystem;
  const head = (
    <>
      <span class="role">{visible(t.role(beginning(m.role, 40)))}</span>
      {m.answers !== "" && <span class="hint">{t.answers(beginning(m.answers, 60))}</span>}
      {m.finish !== "" && <span class="hint">{t.finish(beginning(m.finish, 60))}</span>}
      {long && <span class="hint">{size(lengthOf(m))}</span>}
    </>
  );
  return (
    <li class={"message " + (known.includes(role) ? role : "other")}>
      {long ? (
        <details>
          <summary>{head}</summary>
          <RoleFormats all={waysOf(m)} role={m.role} />
          <Said {...props} />
        </details>
      ) : (
        <>
          <div class="who">
            <p>{head}</p>
            {lengthOf(m) > 0 && (
              <span class="ways">
                <RoleFormats all={waysOf(m)} role={m.role} />
                <CopyButton text={textsOf(m)} name={t.message} />
              </span>
            )}
          </div>
          <Said {...props} />
        </>
      )}
    </li>
  );
}
