// SPDX-License-Identifier: Apache-2.0

import { useRef, useState } from "preact/hooks";
import { readViews, removeView, saveView, type View } from "../api/views";
import { Changes } from "../shell/changes";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { mayChange } from "../session";
import { texts } from "../texts";
import { visible } from "../text/visible";
import { link, type Params } from "../url";
import { useLoaded } from "../use";
import { longestName, paramsOf, queryOf } from "./views";

const t = texts.views;

/** The views that the environment has, and a field to save the list that is shown. */
export function SavedViews(props: { environment: string; screen: View["screen"]; shown: () => Params }) {
  const { environment } = props;
  const [open, setOpen] = useState(false);
  const [problem, setProblem] = useState("");
  const [round, setRound] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const views = useLoaded<View[] | undefined>((signal) => (open ? readViews(environment, signal) : Promise.resolve(undefined)), [environment, open, round]);
  const does = async (work: () => Promise<unknown>) => {
    setProblem("");
    try {
      await work();
      if (field.current) field.current.value = "";
    } catch (e) {
      setProblem(e instanceof Error ? e.message : String(e));
    }
    setRound((r) => r + 1);
  };
  const save = () => {
    const name = field.current?.value.trim() ?? "";
    if (name === "") return field.current?.focus();
    void does(() => saveView(environment, name, { screen: props.screen, query: queryOf(props.shown()) }));
  };
  const list = views.data ?? [];
  return (
    <details class="views" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{t.title}</summary>
      <div>
        <Problem of={views} />
        {list.length > 0 && (
          <ul aria-label={t.list}>
            {list.map((v) => (
              <li key={v.name}>
                <Link href={link([v.screen], paramsOf(v.query))}>{visible(v.name)}</Link>
                {mayChange.value && (
                  <button class="quiet icon" aria-label={t.remove(visible(v.name))} onClick={() => void does(() => removeView(environment, v.name))}>
                    ✕
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
        <Changes>
          <form
            onSubmit={(e) => {
              e.preventDefault();
              save();
            }}
          >
            <input ref={field} aria-label={t.name} placeholder={t.name} maxLength={longestName} spellcheck={false} autocomplete="off" />
            <button type="submit">{t.save}</button>
          </form>
        </Changes>
        {problem !== "" && (
          <p class="problem" role="alert">
            {visible(problem)}
          </p>
        )}
        <p class="hint">{t.hint}</p>
      </div>
    </details>
  );
}
