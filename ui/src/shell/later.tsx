// SPDX-License-Identifier: Apache-2.0

// Screens that are in files of their own: the first view has no need of them.

import type { ComponentType } from "preact";
import { Refusal, send } from "../api/http";
import { base } from "../place";
import { texts } from "../texts";
import { useLoaded } from "../use";
import { Problem } from "./problem";

type Shown = ComponentType<{ environment: string }>;

/** Finds out why a file could not be loaded, and throws that. Browsers may remember that it was not: where the server answers, only a new page helps. */
async function refuse(): Promise<never> {
  await send(base + "/", { plain: true });
  throw new Refusal(404, texts.notLoaded);
}

/** A screen that is loaded when it is shown, or ahead of that. A failure to load is shown in its place. */
export function later(title: string, read: () => Promise<Shown>): { title: string; component: Shown; ahead: () => Promise<void> } {
  let there: Shown | undefined;
  const load = async () => (there ??= await read());

  function Later(props: { environment: string }) {
    const loaded = useLoaded(() => load().catch(refuse), []);
    const Screen = there ?? loaded.data;
    if (Screen) return <Screen environment={props.environment} />;
    return (
      <>
        <h1>{title}</h1>
        {loaded.error === undefined && <p role="status">{texts.loading}</p>}
        {loaded.error?.passes && <Problem of={loaded} />}
        {loaded.error && !loaded.error.passes && (
          <div class="notice" role="alert">
            <p>{loaded.error.message}</p>
            <button onClick={() => location.reload()}>{texts.loadPage}</button>
          </div>
        )}
      </>
    );
  }

  return {
    title,
    component: Later,
    ahead: () =>
      load().then(
        () => {},
        () => {},
      ),
  };
}
