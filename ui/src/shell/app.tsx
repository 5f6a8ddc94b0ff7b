// SPDX-License-Identifier: Apache-2.0

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { absoluteLink } from "../period/link";
import { choose, chosen, ended, held, known } from "../session";
import { texts } from "../texts";
import { change, format, go, link, place, safeNext } from "../url";
import { Boundary } from "./boundary";
import { useCopy } from "./copy";
import { Dialog } from "./dialog";
import { Header } from "./header";
import { Help } from "./help";
import { bind } from "./keys";
import { Mark } from "./mark";
import { homeOf, loadAhead, screenOf, screens, screensOf } from "./screens";
import { SignInForm } from "./signin";

let shownBefore = false;

const settled = 1000; // milliseconds that the first view has for itself before the other screens are loaded

/** A page. It gets the focus when another one was shown before, so that a screen reader says so. */
function Page(props: { title: string; narrow?: boolean; children?: ComponentChildren }) {
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = texts.page(props.title);
    const inside = main.current?.contains(document.activeElement) === true;
    if (shownBefore && !inside && document.querySelector("dialog[open]") === null) main.current?.focus();
    shownBefore = true;
  }, [props.title]);
  return (
    <main id="content" tabIndex={-1} ref={main} class={props.narrow ? "narrow" : undefined}>
      {props.children}
    </main>
  );
}

function SignIn() {
  const adding = known.value.kind === "in";
  const { next } = place.value.params;
  const title = adding ? texts.signIn.add : texts.signIn.title;
  return (
    <Page title={title} narrow>
      {!adding && (
        <p class="brand">
          <Mark />
        </p>
      )}
      <h1>{title}</h1>
      {adding && <p>{texts.signIn.addHint}</p>}
      <SignInForm
        onDone={(env) => {
          choose(env);
          go(safeNext(next, location.origin) ?? format({ path: [homeOf(env)], params: { env } }), "replace");
        }}
      />
    </Page>
  );
}

/** What is shown to a user who is signed in. */
function Inside() {
  const path = place.value.path[0] ?? "";
  const env = chosen.value;
  const screen = screenOf(screensOf(env), place.value.path);
  useEffect(() => {
    const { next } = place.value.params;
    // Another tab signed in while this one asked for a key.
    if (path === "signin" && next !== undefined) go(safeNext(next, location.origin) ?? link([homeOf(env)]), "replace");
    else if (path === "") go(link([homeOf(env)]), "replace");
    else if (place.value.params.env !== env) change({ env }, "replace");
    choose(env);
  }, [path, env]);
  if (path === "signin") return <SignIn />;
  if (!held.value) {
    return (
      <Page title={texts.signIn.needed} narrow>
        <h1>{texts.signIn.needed}</h1>
        <p>{texts.signIn.neededHint}</p>
        <SignInForm onDone={choose} />
      </Page>
    );
  }
  if (screen === undefined) {
    return (
      <Page title={texts.noScreen}>
        <h1>{texts.noScreen}</h1>
        <p>{texts.noScreenHint}</p>
      </Page>
    );
  }
  return (
    <Page title={screen.title}>
      <Boundary key={screen.title}>
        <screen.component environment={env} key={env} />
      </Boundary>
    </Page>
  );
}

/** A user who is not signed in is asked for a key, and led on after it. */
function Outside() {
  const at = place.value;
  useEffect(() => {
    if (at.path[0] !== "signin") go(format({ path: ["signin"], params: { next: format(at) } }), "replace");
  }, [at]);
  return <SignIn />;
}

function Away(props: { retryIn: number }) {
  return (
    <Page title={texts.product} narrow>
      <h1>{texts.noAnswer}</h1>
      <p role="status">{texts.nextTry(props.retryIn)}</p>
    </Page>
  );
}

/** Copies the link of what is shown by a key, where the screen has no button for that, and says so. */
function Shortcut() {
  const { copy, status } = useCopy();
  useLayoutEffect(() => bind("c", () => copy(absoluteLink(screenOf(screens, place.value.path)?.period))), []);
  return <div class="told">{status}</div>;
}

function Shell() {
  const [help, setHelp] = useState(false);
  const env = chosen.value;
  useLayoutEffect(() => {
    const unbind = [bind("?", () => setHelp(true)), ...screens.flatMap((s) => (s.key === undefined ? [] : [bind("g " + s.key, () => go(link([s.path])))]))];
    return () => unbind.forEach((u) => u());
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => void loadAhead(env), settled);
    return () => clearTimeout(timer);
  }, [env]);
  return (
    <>
      <a class="skip" href="#content" onClick={(e) => (e.preventDefault(), document.getElementById("content")?.focus())}>
        {texts.skip}
      </a>
      <Header onKeys={() => setHelp(true)} />
      <Inside />
      <Shortcut />
      {help && <Help onClose={() => setHelp(false)} />}
      {ended.value && (
        <Dialog title={texts.signIn.endedTitle}>
          <p>{texts.signIn.endedHint}</p>
          <SignInForm onDone={() => {}} />
        </Dialog>
      )}
    </>
  );
}

export function App() {
  const now = known.value;
  switch (now.kind) {
    case "loading":
      return <main aria-busy="true" />;
    case "away":
      return <Away retryIn={now.retryIn} />;
    case "out":
      return <Outside />;
    case "in":
      return <Shell />;
  }
}
