// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import type { Made } from "../api/organizations";
import { choose, chosen, madeKey, operator, signIn } from "../session";
import { Copyable } from "../shell/copy";
import { homeOf } from "../shell/screens";
import { texts } from "../texts";
import { visible } from "../text/visible";
import { format, go } from "../url";

const t = texts.organizations;

/** Keys that were made just now, which are shown once. */
export function Once(props: { made: readonly Made[]; onStored: () => void }) {
  const [problem, setProblem] = useState("");
  const enter = async (key: string) => {
    try {
      const env = await signIn(key);
      madeKey.value = { environment: env, key };
      choose(env);
      go(format({ path: [homeOf(env)], params: { env } }));
    } catch (e) {
      setProblem(e instanceof Error ? e.message : String(e));
    }
  };
  return (
    <div class="note once" role="status">
      <p>{t.once}</p>
      {props.made.map((m) => (
        <p key={m.slug + m.api_key}>
          <b>{visible(m.slug)}</b> <Copyable name={t.keyOf(visible(m.slug))} text={m.api_key} />{" "}
          {chosen.value === operator && (
            <button class="quiet" onClick={() => void enter(m.api_key)}>
              {t.signIn(visible(m.slug))}
            </button>
          )}
        </p>
      ))}
      {problem !== "" && <p class="problem">{visible(problem)}</p>}
      <p>
        <button onClick={props.onStored}>{t.stored}</button>
      </p>
    </div>
  );
}
