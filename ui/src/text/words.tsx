// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { texts } from "../texts";
import { size } from "./format";
import { indented } from "./json";
import { visible } from "./visible";

const t = texts.trace;
const atFirst = 4000; // characters
const short = 80; // characters up to which JSON stays on its line

/** The beginning of a text that ends between characters. */
function upTo(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 && length < text.length ? length - 1 : length);
}

/**
 * A text as it was sent, line breaks kept: more of it on request, and with
 * indents where it is JSON. Of one that the API cut, whole says how many bytes it
 * has and download gets them.
 */
export function Words(props: { text: string; json?: boolean; first?: number; whole?: number | undefined; download?: (() => Promise<void>) | undefined }) {
  const [length, setLength] = useState(props.first ?? atFirst);
  const [asJSON, setAsJSON] = useState(props.json ?? false);
  const [problem, setProblem] = useState("");
  const layout = props.text.length > short ? indented(props.text) : undefined;
  const text = asJSON && layout !== undefined ? layout : props.text;
  const code = layout !== undefined || props.json === true;
  const { whole, download } = props;
  const save = async () => {
    setProblem("");
    try {
      await download?.();
    } catch (e) {
      setProblem(t.downloadFailed(e instanceof Error ? e.message : ""));
    }
  };
  return (
    <div class={code ? "words code" : "words"}>
      <p>
        {visible(upTo(text, length))}
        {text.length > length && "…"}
      </p>
      {(layout !== undefined || text.length > length || whole !== undefined) && (
        <div class="more">
          {text.length > length && (
            <button class="quiet" onClick={() => setLength(length * 8)}>
              {t.moreText(size(Math.min(text.length, length * 8) - length))}
            </button>
          )}
          {whole !== undefined && download && (
            <button class="quiet" onClick={() => void save()}>
              {t.wholeText(size(whole))}
            </button>
          )}
          {layout !== undefined && (
            <button class="quiet" onClick={() => setAsJSON(!asJSON)}>
              {asJSON ? t.asText : t.asJSON}
            </button>
          )}
        </div>
      )}
      {problem !== "" && <p class="problem">{problem}</p>}
    </div>
  );
}
