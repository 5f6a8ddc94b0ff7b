// SPDX-License-Identifier: Apache-2.0

import type { FullSpan } from "../api/traces";
import { texts } from "../texts";
import { size } from "../text/format";
import { structure } from "../text/json";
import { type Message, messagesOf } from "../text/messages";
import { beginning, visible } from "../text/visible";
import { Words } from "../text/words";

const t = texts.trace;
const longSystem = 400; // characters above which a system message is folded
const known = ["system", "developer", "user", "assistant", "tool"];

/** Gives what Words needs of a text that stands in a field of the span. */
export type TextOf = (field: string) => { whole?: number | undefined; download?: (() => Promise<void>) | undefined };

function Said(props: { message: Message; prefix: string; textOf: TextOf }) {
  const { message: m } = props;
  return (
    <>
      {m.parts.map((p, i) =>
        p.kind === "text" ? (
          <Words key={i} text={p.text} {...props.textOf(props.prefix + m.field)} />
        ) : (
          <p key={i} class="part">
            [{t.part(beginning(p.type, 60), size(p.characters))}]
          </p>
        ),
      )}
      {m.calls.map((c, i) => (
        <div class="call" key={i}>
          <p>
            <span aria-hidden="true">→ </span>
            {t.calls(beginning(c.name, 120))} {c.id !== "" && <span class="hint">{beginning(c.id, 60)}</span>}
          </p>
          {c.arguments !== "" && <Words text={c.arguments} json {...props.textOf(props.prefix + c.field)} />}
        </div>
      ))}
      {m.rest.slice(0, 20).map(([name, value]) => (
        <p class="hint" key={name}>
          {beginning(name, 60)}: {beginning(value, 400)}
        </p>
      ))}
    </>
  );
}

function OneMessage(props: { message: Message; prefix: string; textOf: TextOf }) {
  const { message: m } = props;
  const role = m.role.toLowerCase();
  const long = (role === "system" || role === "developer") && m.parts.some((p) => p.kind === "text" && p.text.length > longSystem);
  const length = m.parts.reduce((sum, p) => sum + (p.kind === "text" ? p.text.length : 0), 0);
  const head = (
    <>
      <span class="role">{visible(t.role(beginning(m.role, 40)))}</span>
      {m.answers !== "" && <span class="hint">{t.answers(beginning(m.answers, 60))}</span>}
      {m.finish !== "" && <span class="hint">{t.finish(beginning(m.finish, 60))}</span>}
      {long && <span class="hint">{size(length)}</span>}
    </>
  );
  return (
    <li class={"message " + (known.includes(role) ? role : "other")}>
      {long ? (
        <details>
          <summary>{head}</summary>
          <Said {...props} />
        </details>
      ) : (
        <>
          <p class="who">{head}</p>
          <Said {...props} />
        </>
      )}
    </li>
  );
}

/** What was said in a span: its messages, or its input and output where it has none. */
export function Talk(props: { span: FullSpan; textOf: TextOf }) {
  const { span, textOf } = props;
  const prompts = messagesOf(span.prompts, "llm.prompts.");
  const completions = messagesOf(span.completions, "llm.completions.");
  const plain = (title: string, text: string, field: string) =>
    text !== "" && (
      <li class="message other">
        <p class="who">
          <span class="role">{title}</span>
        </p>
        <Words text={text} json={structure(text) !== undefined} {...textOf(field)} />
      </li>
    );
  const first = prompts.length > 0 ? prompts.map((m) => <OneMessage key={m.field} message={m} prefix="prompts." textOf={textOf} />) : plain(t.input, span.input, "input");
  const last =
    completions.length > 0 ? completions.map((m) => <OneMessage key={m.field} message={m} prefix="completions." textOf={textOf} />) : plain(t.output, span.output, "output");
  if (!first && !last) return <p class="hint">{t.noTalk}</p>;
  return (
    <ol class="talk">
      {first}
      {last}
    </ol>
  );
}
