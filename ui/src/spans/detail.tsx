// SPDX-License-Identifier: Apache-2.0

import { useLayoutEffect } from "preact/hooks";
import type { Row } from "../api/spans";
import { bind } from "../shell/keys";
import { Link } from "../shell/link";
import { Panel } from "../span/panel";
import type { Tab } from "../span/tab";
import { texts } from "../texts";
import { change, go, link } from "../url";
import { traceOf } from "./table";

const t = texts.spans;

/** The chosen span beside the list. row is that of the list, if it is there. */
export function Detail(props: { environment: string; trace: string; span: string; row: Row | undefined; tab: Tab }) {
  const { trace, span, row } = props;
  const close = () => change({ sel: "", tab: "" });
  const href = row === undefined ? link(["traces", trace], { span }) : traceOf(row);
  useLayoutEffect(() => {
    const unbind = [bind("Escape", close), bind("o", () => go(href))];
    return () => unbind.forEach((u) => u());
  }, [href]);
  return (
    <Panel
      environment={props.environment}
      trace={trace}
      span={span}
      tab={props.tab}
      changed={row?.verdicts.map((v) => v.status + v.evaluator).join() ?? ""}
      tools={
        <p class="bar-of">
          <Link href={href} class="button">
            {t.openTrace}
          </Link>
          <button class="quiet icon end" aria-label={t.close} onClick={close}>
            ✕
          </button>
        </p>
      }
    />
  );
}
