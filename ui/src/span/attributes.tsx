// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import type { Filter } from "../api/spans";
import type { FullSpan } from "../api/traces";
import { CopyButton } from "../shell/copy";
import { Link } from "../shell/link";
import { texts } from "../texts";
import { count } from "../text/format";
import { visible } from "../text/visible";
import { Words } from "../text/words";
import type { TextOf } from "./message";

const t = texts.trace;
const page = 200;

export type Only = (f: Filter) => string;

/** Attributes by name. A short value leads to the spans that have it. */
export function AttributeList(props: { of: Readonly<Record<string, string>>; field?: string; textOf?: TextOf; only?: (key: string) => string; onlyHref?: Only }) {
  const [most, setMost] = useState(page);
  const all = Object.entries(props.of).sort(([a], [b]) => (a < b ? -1 : 1));
  if (all.length === 0) return <p class="hint">{t.noAttributes}</p>;
  return (
    <>
      <dl class="attributes">
        {all.slice(0, most).map(([key, value]) => (
          <div key={key}>
            <dt>{visible(key)}</dt>
            <dd>
              {props.onlyHref && props.only && value !== "" && value.length <= 200 ? (
                <span class="acts">
                  <Link class="value" href={props.onlyHref({ id: props.only(key), operator: "equals", value })}>
                    <span class="unseen">{t.only(visible(key))}: </span>
                    {visible(value)}
                  </Link>
                  <Link class="quiet icon" label={t.without(visible(key))} href={props.onlyHref({ id: props.only(key), operator: "not_equals", value })}>
                    ≠
                  </Link>
                  <CopyButton text={value} name={t.valueOf(visible(key))} />
                </span>
              ) : (
                <Words text={value} first={1000} {...(props.textOf && props.field ? props.textOf(props.field + key) : {})} />
              )}
            </dd>
          </div>
        ))}
      </dl>
      {all.length > most && <button onClick={() => setMost(most * 4)}>{texts.spans.more(count(most), count(all.length))}</button>}
    </>
  );
}

export function Attributes(props: { span: FullSpan; textOf: TextOf; only: Only }) {
  const { span } = props;
  const own = Object.fromEntries(Object.entries(span.span_attributes).filter(([key]) => !key.startsWith("evaluation.")));
  return (
    <>
      <h3>{t.spanAttributes}</h3>
      <AttributeList of={own} field="span_attributes." textOf={props.textOf} only={(key) => key} onlyHref={props.only} />
      <h3>{t.resourceAttributes}</h3>
      <AttributeList of={span.resource_attributes} field="resource_attributes." textOf={props.textOf} only={(key) => "resource_attributes." + key} onlyHref={props.only} />
    </>
  );
}
