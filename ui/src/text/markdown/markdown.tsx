// SPDX-License-Identifier: Apache-2.0

import type { Token } from "markdown-it";
import { type ComponentChild, type ComponentChildren, h } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { texts } from "../../texts";
import { size } from "../format";
import { upTo, visible } from "../visible";
import { target } from "./link";
import "./markdown.css";

const most = 1 << 16; // characters that are read as Markdown at first

/** What a pair of tokens becomes; of others only what is inside is shown. */
const elements: Readonly<Record<string, string>> = {
  paragraph: "p", bullet_list: "ul", list_item: "li", blockquote: "blockquote", em: "em", strong: "strong", s: "s",
  table: "table", thead: "thead", tbody: "tbody", tr: "tr", th: "th", td: "td",
};

function start(token: Token): number | undefined {
  const n = Number(token.attrGet("start") ?? NaN);
  return Number.isSafeInteger(n) ? n : undefined;
}

function linked(token: Token, inside: ComponentChildren): ComponentChild {
  const address = String(token.attrGet("href") ?? "");
  const to = target(address);
  if (to === undefined) return [inside, ` (${visible(address)})`];
  return [
    <a href={to.href} rel="noopener noreferrer nofollow" target="_blank">
      {inside}
    </a>,
    <span class="hint"> ({visible(to.host)})</span>,
  ];
}

/** A pair of tokens with what is between them. */
function pair(token: Token, inside: ComponentChild[]): ComponentChild {
  const name = token.type.slice(0, -"_open".length);
  if (name === "paragraph" && token.hidden) return inside;
  if (name === "heading") return <p class={"heading " + (token.tag === "h1" ? "first" : "")}>{inside}</p>; // no part of the page's outline
  if (name === "ordered_list") return <ol start={start(token)}>{inside}</ol>;
  if (name === "link") return linked(token, inside);
  const element = elements[name];
  return element === undefined ? inside : h(element, null, inside);
}

/** A token that stands alone. */
function single(token: Token): ComponentChild {
  switch (token.type) {
    case "inline":
      return shown(token.children ?? []);
    case "code_inline":
      return <code>{visible(token.content)}</code>;
    case "code_block":
    case "fence":
      return <div class="block">{visible(token.content.replace(/\n$/, ""))}</div>;
    case "hr":
      return <hr />;
    case "softbreak":
      return "\n";
    case "hardbreak":
      return <br />;
    case "image":
      return texts.text.image(visible(token.content), visible(String(token.attrGet("src") ?? "")));
    default:
      return visible(token.content);
  }
}

/** The elements of a list of tokens. They are of a few kinds, and every text is a text. */
function shown(tokens: readonly Token[]): ComponentChild[] {
  const open: { token: Token; inside: ComponentChild[] }[] = [];
  const all: ComponentChild[] = [];
  const add = (child: ComponentChild) => (open.at(-1)?.inside ?? all).push(child);
  for (const token of tokens) {
    if (token.nesting > 0) open.push({ token, inside: [] });
    else if (token.nesting === 0) add(single(token));
    else {
      const closed = open.pop();
      if (closed !== undefined) add(pair(closed.token, closed.inside));
    }
  }
  for (let closed = open.pop(); closed !== undefined; closed = open.pop()) add(closed.inside);
  return all;
}

type Parse = (text: string) => Token[];

/** A text read as Markdown. Pictures are named and never loaded; what cannot be read stays as it was sent. */
export function Markdown(props: { text: string }) {
  const [parse, setParse] = useState<{ tokensOf: Parse }>();
  const [length, setLength] = useState(most);
  useEffect(() => {
    let left = false;
    void import("./parse").then(
      (m) => left || setParse(m),
      () => {}, // it stays a text
    );
    return () => {
      left = true;
    };
  }, []);
  const text = upTo(props.text, length);
  const children = useMemo(() => {
    try {
      return parse && shown(parse.tokensOf(text));
    } catch {
      return undefined;
    }
  }, [parse, text]);
  return (
    <div class={children === undefined ? "markdown plain" : "markdown"}>
      {children ?? visible(text)}
      {props.text.length > length && (
        <button class="quiet" onClick={() => setLength(length * 8)}>
          {texts.trace.moreText(size(Math.min(props.text.length, length * 8) - length))}
        </button>
      )}
    </div>
  );
}
