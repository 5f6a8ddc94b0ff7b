// SPDX-License-Identifier: Apache-2.0

import { useRef } from "preact/hooks";
import { Link } from "../shell/link";
import { texts } from "../texts";
import { visible } from "../text/visible";
import { link, type Params } from "../url";
import { longestName, removeView, saveView, views } from "./views";

const t = texts.views;

/** The views that are saved in this browser, and a field to save the one that is shown. */
export function SavedViews(props: { shown: () => Params }) {
  const field = useRef<HTMLInputElement>(null);
  const save = () => {
    const name = field.current?.value.trim() ?? "";
    if (name === "") return field.current?.focus();
    saveView(name, props.shown());
    if (field.current) field.current.value = "";
  };
  return (
    <details class="views">
      <summary>{t.title(views.value.length)}</summary>
      <div>
        {views.value.length > 0 && (
          <ul aria-label={t.list}>
            {views.value.map((v) => (
              <li key={v.name}>
                <Link href={link(["spans"], v.params)}>{visible(v.name)}</Link>
                <button class="quiet icon" aria-label={t.remove(visible(v.name))} onClick={() => removeView(v.name)}>
                  ✕
                </button>
              </li>
            ))}
          </ul>
        )}
        <form
          onSubmit={(e) => {
            e.preventDefault();
            save();
          }}
        >
          <input ref={field} aria-label={t.name} placeholder={t.name} maxLength={longestName} spellcheck={false} autocomplete="off" />
          <button type="submit">{t.save}</button>
        </form>
        <p class="hint">{t.hint}</p>
      </div>
    </details>
  );
}
