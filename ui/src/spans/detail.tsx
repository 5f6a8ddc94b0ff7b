// SPDX-License-Identifier: Apache-2.0

import { useLayoutEffect } from "preact/hooks";
import { bind } from "../shell/keys";
import { Link } from "../shell/link";
import { Panel } from "../span/panel";
import type { Tab } from "../span/tab";
import { texts } from "../texts";
import { change, go } from "../url";

const t = texts.spans;

/** The chosen span next to the list. opens is the page that shows more of it; changed is called when the span changed. */
export function Detail(props: { environment: string; trace: string; span: string; tab: Tab; opens: { text: string; href: string }; changed: string }) {
  const { opens } = props;
  const close = () => change({ sel: "", tab: "" });
  useLayoutEffect(() => {
    const unbind = [bind("Escape", close), bind("o", () => go(opens.href))];
    return () => unbind.forEach((u) => u());
  }, [opens.href]);
  return (
    <Panel
      environment={props.environment}
      trace={props.trace}
      span={props.span}
      tab={props.tab}
      changed={props.changed}
      tools={
        <p class="bar-of">
          <Link href={opens.href} class="button">
            {opens.text}
          </Link>
          <button class="quiet icon end" aria-label={t.close} onClick={close}>
            ✕
          </button>
        </p>
      }
    />
  );
}
