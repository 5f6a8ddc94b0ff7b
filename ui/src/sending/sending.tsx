// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { readMe } from "../api/me";
import { madeKey } from "../session";
import { CopyableLines } from "../shell/copy";
import { texts } from "../texts";
import { visible } from "../text/visible";
import { useLoaded } from "../use";
import { linesOf, type Way, ways } from "./lines";

const t = texts.environment;

/** How an application sends its spans here, in one of several ways. A key that was created on this page stands in the lines. */
export function Sending(props: { environment: string }) {
  const [way, setWay] = useState<Way>("variables");
  const me = useLoaded((signal) => readMe(props.environment, signal), [props.environment]);
  if (me.busy && me.error === undefined) return null; // the address may be another than one would guess
  const endpoint = visible(me.data?.otlp?.http ?? `${location.protocol}//${location.hostname}:4318`);
  const key = madeKey.value?.environment === props.environment ? madeKey.value.key : t.keyPlaceholder;
  return (
    <section class="sending">
      <h2>{t.send}</h2>
      <div class="choice" role="group" aria-label={t.send}>
        {ways.map((w) => (
          <button key={w} class="quiet" aria-pressed={w === way} onClick={() => setWay(w)}>
            {t.ways[w]}
          </button>
        ))}
      </div>
      <p>{t.sendHints[way]}</p>
      <CopyableLines name={t.ways[way]} text={linesOf[way](endpoint, key).join("\n")} />
    </section>
  );
}
