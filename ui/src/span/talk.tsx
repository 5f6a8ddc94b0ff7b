// SPDX-License-Identifier: Apache-2.0

import type { FullSpan } from "../api/traces";
import { texts } from "../texts";
import { structure } from "../text/json";
import { exchangesOf, type Message, messagesOf } from "../text/messages";
import { Words } from "../text/words";
import { OneMessage, type TextOf } from "./message";
import { Tools } from "./tools";

const t = texts.trace;

/** What a model was given and what it said. */
export function messagesOfSpan(span: FullSpan): { prompts: Message[]; completions: Message[] } {
  return { prompts: messagesOf(span.prompts, "llm.prompts."), completions: messagesOf(span.completions, "llm.completions.") };
}

function Plain(props: { title: string; text: string; field: string; textOf: TextOf }) {
  if (props.text === "") return null;
  return (
    <li class="message other">
      <p class="who">
        <span class="role">{props.title}</span>
      </p>
      <Words text={props.text} json={structure(props.text) !== undefined} {...props.textOf(props.field)} />
    </li>
  );
}

/** What was said in a span: its messages, or its input and output where it has none. */
export function Talk(props: { span: FullSpan; textOf: TextOf }) {
  const { span, textOf } = props;
  const { prompts, completions } = messagesOfSpan(span);
  const tools = <Tools text={span.tool_definitions} textOf={textOf} />;
  if (prompts.length + completions.length === 0 && span.input === "" && span.output === "") {
    return (
      <>
        {tools}
        <p class="hint">{t.noTalk}</p>
      </>
    );
  }
  return (
    <>
      {tools}
      <ol class="talk">
        {prompts.length === 0 && <Plain title={t.input} text={span.input} field="input" textOf={textOf} />}
        {exchangesOf([...prompts, ...completions]).map((x) => (
          <OneMessage key={x.message.field} of={x} textOf={textOf} />
        ))}
        {completions.length === 0 && <Plain title={t.output} text={span.output} field="output" textOf={textOf} />}
      </ol>
    </>
  );
}
