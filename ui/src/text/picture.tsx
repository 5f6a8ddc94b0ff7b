// SPDX-License-Identifier: Apache-2.0

import { useEffect, useState } from "preact/hooks";
import { texts } from "../texts";
import { bytesOf, type Encoded, isPicture, pictureOf } from "./encoded";
import { size } from "./format";
import { beginning } from "./visible";
import "./picture.css";

const t = texts.text;

/** A file inside a text: its type and size, and of a picture on request what it shows. Nothing is loaded from anywhere. */
export function Picture(props: { of: Encoded }) {
  const { of } = props;
  const [url, setURL] = useState<string>();
  const [problem, setProblem] = useState("");
  useEffect(() => () => void (url !== undefined && URL.revokeObjectURL(url)), [url]);
  useEffect(() => setURL(undefined), [of.base64]);
  const show = () => {
    const picture = pictureOf(of);
    if (picture === undefined) setProblem(t.noPicture(of.media));
    else setURL(URL.createObjectURL(picture));
  };
  return (
    <div class="picture">
      <p class="hint">
        [{texts.trace.part(of.media === "" ? t.base64 : beginning(of.media, 60), size(bytesOf(of)))}]{" "}
        {isPicture(of) && (
          <button class="quiet" onClick={() => (url === undefined ? show() : setURL(undefined))}>
            {url === undefined ? t.showPicture : t.hidePicture}
          </button>
        )}
      </p>
      {url !== undefined && <img src={url} alt={t.picture} onError={() => (setProblem(t.noPicture(of.media)), setURL(undefined))} />}
      {problem !== "" && <p class="problem">{problem}</p>}
    </div>
  );
}
