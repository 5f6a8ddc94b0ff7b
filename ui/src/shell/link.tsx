// SPDX-License-Identifier: Apache-2.0

import type { ComponentChildren, TargetedMouseEvent } from "preact";
import { go } from "../url";

/** A link to a screen: it changes the URL and loads nothing again. */
export function Link(props: { href: string; class?: string; current?: boolean; /** What a screen reader says in place of what it shows. */ label?: string; children: ComponentChildren }) {
  const follow = (e: TargetedMouseEvent<HTMLAnchorElement>) => {
    if (e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
    e.preventDefault();
    go(props.href);
  };
  return (
    <a href={props.href} class={props.class} aria-label={props.label} aria-current={props.current ? "page" : undefined} onClick={follow}>
      {props.children}
    </a>
  );
}
