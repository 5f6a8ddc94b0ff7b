// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { texts } from "../texts";
import { encodedOf, withoutEncoded } from "./encoded";
import { type Format, formatOf, keepFormat } from "./formats";
import { size } from "./format";
import { structure } from "./json";
import { Markdown } from "./markdown/markdown";
import { Picture } from "./picture";
import { JSONTree } from "./tree";
import { upTo, visible } from "./visible";

const t = texts.trace;
const atFirst = 4000; // characters
const short = 80; // characters up to which JSON stays on its line

type Props = {
  text: string;
  /** Whether it is JSON and shown as such. */
  json?: boolean;
  /** Whose message it is: what its messages are shown as is remembered, and chosen above them. */
  role?: string;
  /** Whether it is shown in one way alone. */
  fixed?: boolean;
  /** Characters at first. */
  first?: number;
  /** Bytes of the whole text, of one that the API cut, and what downloads it. */
  whole?: number | undefined;
  download?: (() => Promise<void>) | undefined;
};

/** What a text can be shown as. */
export function formatsOf(text: string): Format[] {
  if (encodedOf(text) !== undefined) return [];
  return ["text", structure(text) === undefined ? "markdown" : "json"];
}

/** What all messages of a role are shown as, to be chosen. */
export function RoleFormats(props: { all: readonly Format[]; role: string }) {
  const wanted = formatOf(props.role);
  return <Formats all={props.all} shown={props.all.includes(wanted) ? wanted : "text"} onChoose={(f) => keepFormat(props.role, f)} />;
}

function Formats(props: { all: readonly Format[]; shown: Format; onChoose: (f: Format) => void }) {
  if (props.all.length < 2) return null;
  return (
    <span class="formats" role="group" aria-label={texts.text.formats}>
      {props.all.map((f) => (
        <button key={f} class="quiet" aria-pressed={f === props.shown} onClick={() => props.onChoose(f)}>
          {texts.text.format[f]}
        </button>
      ))}
    </span>
  );
}

/** Downloads a text, and says what went wrong. */
function Whole(props: { whole: number; download: () => Promise<void> }) {
  const [problem, setProblem] = useState("");
  const save = async () => {
    setProblem("");
    try {
      await props.download();
    } catch (e) {
      setProblem(t.downloadFailed(e instanceof Error ? e.message : ""));
    }
  };
  return (
    <>
      <button class="quiet" onClick={() => void save()}>
        {t.wholeText(size(props.whole))}
      </button>
      {problem !== "" && <p class="problem">{problem}</p>}
    </>
  );
}

/** A text as it was sent, line breaks kept, and more of it on request; or read as Markdown, or as JSON where it is that. */
export function Words(props: Props) {
  const { role, whole, download } = props;
  const [length, setLength] = useState(props.first ?? atFirst);
  const [own, setOwn] = useState<Format>(props.json ? "json" : "text");
  const encoded = encodedOf(props.text);
  if (encoded !== undefined) return <Picture of={encoded} />;
  const isJSON = (props.json === true || role !== undefined || props.text.length > short) && structure(props.text) !== undefined;
  const wanted = role === undefined ? own : formatOf(role);
  const format = wanted === (isJSON ? "json" : "markdown") ? wanted : "text";
  const text = withoutEncoded(props.text);
  return (
    <div class={isJSON || props.json ? "words code" : "words"}>
      {format === "markdown" && <Markdown text={text} />}
      {format === "json" && <JSONTree text={props.text} />}
      {format === "text" && (
        <p>
          {visible(upTo(text, length))}
          {text.length > length && "…"}
        </p>
      )}
      <div class="more">
        {format === "text" && text.length > length && (
          <button class="quiet" onClick={() => setLength(length * 8)}>
            {t.moreText(size(Math.min(text.length, length * 8) - length))}
          </button>
        )}
        {whole !== undefined && download && <Whole whole={whole} download={download} />}
        {isJSON && role === undefined && props.fixed !== true && <Formats all={["text", "json"]} shown={format} onChoose={setOwn} />}
      </div>
    </div>
  );
}
