// SPDX-License-Identifier: Apache-2.0

import { useId, useRef, useState } from "preact/hooks";
import { Refusal } from "../api/http";
import { countdown, signIn } from "../session";
import { texts } from "../texts";

/** Asks for a key, and tells of what it is one once the server knows it. */
export function SignInForm(props: { onDone: (environment: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const id = useId();
  const hint = id + "hint";
  const alert = id + "alert";

  const submit = async () => {
    const input = field.current;
    const key = input?.value.trim() ?? "";
    if (input === null || busy) return;
    if (key === "") {
      input.focus();
      return;
    }
    setBusy(true);
    setProblem("");
    for (let wait = 2; ; wait = Math.min(2 * wait, 15)) {
      try {
        const environment = await signIn(key);
        input.value = "";
        setBusy(false);
        props.onDone(environment);
        return;
      } catch (e) {
        if (!(e instanceof Refusal)) throw e;
        if (!e.passes) {
          setProblem(e.status === 401 ? texts.signIn.unknown : e.message);
          setBusy(false);
          input.focus();
          input.select(); // the next one takes its place
          return;
        }
        await countdown(e.retryAfter ?? wait, (left) => setProblem(`${e.message} ${texts.nextTry(left)}`));
      }
    }
  };

  return (
    <form
      class="signin"
      onSubmit={(e) => {
        e.preventDefault();
        void submit();
      }}
    >
      <label for={id}>{texts.signIn.key}</label>
      <input
        ref={field}
        id={id}
        name="key"
        type="password"
        autocomplete="current-password"
        autofocus
        spellcheck={false}
        aria-describedby={`${alert} ${hint}`}
        aria-invalid={problem !== ""}
      />
      <p id={alert} class="problem" role="alert">
        {problem}
      </p>
      <p id={hint} class="hint">
        {texts.signIn.hint}
      </p>
      <button type="submit" class="primary" aria-disabled={busy}>
        {busy ? texts.signIn.underWay : texts.signIn.submit}
      </button>
    </form>
  );
}
