// SPDX-License-Identifier: Apache-2.0

import type { FullSpan } from "../api/traces";
import { Link } from "../shell/link";
import { texts } from "../texts";
import { nanoseconds } from "../text/format";
import { visible } from "../text/visible";
import { link } from "../url";
import { AttributeList } from "./attributes";
import type { TextOf } from "./message";

const t = texts.trace;

/** When an event was, counted from the start of its span. */
function when(span: FullSpan, ns: string): string {
  const after = Number(BigInt(ns) - BigInt(span.start_ns));
  return after < 0 ? t.before(nanoseconds(-after)) : t.after(nanoseconds(after));
}

/** Events and links of a span. */
export function Events(props: { span: FullSpan; textOf: TextOf }) {
  const { span, textOf } = props;
  return (
    <>
      <h3>{t.events}</h3>
      {span.events.length === 0 && <p class="hint">{t.noEvents}</p>}
      <ol class="events">
        {span.events.slice(0, 1000).map((e, i) => (
          <li key={i}>
            <p>
              <b>{visible(e.name)}</b> <span class="hint">{when(span, e.time_ns)}</span>
            </p>
            {Object.keys(e.attributes).length > 0 && <AttributeList of={e.attributes} field={`events.${i}.attributes.`} textOf={textOf} />}
          </li>
        ))}
      </ol>
      <h3>{t.links}</h3>
      {span.links.length === 0 && <p class="hint">{t.noLinks}</p>}
      <ol class="events">
        {span.links.slice(0, 1000).map((l, i) => (
          <li key={i}>
            <p>
              <Link href={link(["traces", l.trace_id], { span: l.span_id })}>
                <code>
                  {visible(l.trace_id)} / {visible(l.span_id)}
                </code>
              </Link>
            </p>
            {Object.keys(l.attributes).length > 0 && <AttributeList of={l.attributes} field={`links.${i}.attributes.`} textOf={textOf} />}
          </li>
        ))}
      </ol>
    </>
  );
}
