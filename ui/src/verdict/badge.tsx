// SPDX-License-Identifier: Apache-2.0

import type { Filter } from "../api/spans";
import type { Verdict } from "../api/verdicts";
import { Link } from "../shell/link";
import { texts } from "../texts";
import { beginning, visible } from "../text/visible";
import { type Kind, icons, kindOf, outputText } from "./kind";
import "./verdict.css";

const t = texts.verdicts;

/** An icon and, for the user that does not see it, the word. */
export function Icon(props: { kind: Kind }) {
  return (
    <span class={"mark " + props.kind} title={t.kinds[props.kind]}>
      <span aria-hidden="true">{icons[props.kind]}</span>
      <span class="unseen">{t.kinds[props.kind]}</span>
    </span>
  );
}

/** What became of an evaluator, as a text. */
function inWords(v: Verdict): string {
  const outputs = outputsOf(v, true).map(([name, value]) => `${beginning(name, 40)} = ${beginning(outputText(value), 40)}`);
  const said = v.status === "done" ? outputs.join(", ") : t.kinds[kindOf(v)] + (v.reason === "" ? "" : ": " + beginning(reasonText(v.reason), 80));
  return `${beginning(v.evaluator, 60)} ${said}`;
}

/** What became of an evaluator as an icon; who wants words hears or is shown them. */
export function Brief(props: { verdict: Verdict }) {
  const kind = kindOf(props.verdict);
  const words = inWords(props.verdict);
  return (
    <span class={"mark " + kind} title={words}>
      <span aria-hidden="true">{icons[kind]}</span>
      <span class="unseen">{words}; </span>
    </span>
  );
}

/** Why it is not done, in words where the API's is a known one. */
export const reasonText = (reason: string) => t.reasons[reason] ?? visible(reason);

/** The outputs; where there is little room, texts only if there is nothing else. */
function outputsOf(v: Verdict, short: boolean) {
  const all = Object.entries(v.outputs).filter(([, value]) => value !== "");
  const brief = all.filter(([, value]) => typeof value !== "string");
  return short && brief.length > 0 ? brief : all;
}

/** What became of an evaluator, in one line. An output leads to the spans that have it. */
export function Badge(props: { verdict: Verdict; only?: (f: Filter) => string; characters: number; short?: boolean }) {
  const { verdict: v, only, characters } = props;
  const kind = kindOf(v);
  const outputs = outputsOf(v, props.short === true);
  return (
    <span class="badge" title={props.short ? inWords(v) : undefined}>
      <Icon kind={kind} /> <span class="who">{beginning(v.evaluator, 60)}</span>{" "}
      {v.status === "done" ? (
        outputs.map(([name, value]) => {
          const said = beginning(outputText(value), characters);
          const id = `evaluation.${v.evaluator}.${name}`;
          return (
            <span class="output" key={name}>
              {beginning(name, 40)} ={" "}
              {only && String(value).length <= 500 ? (
                <Link class="value" href={only({ id, operator: "equals", value })}>
                  {said}
                </Link>
              ) : (
                said
              )}
            </span>
          );
        })
      ) : null}
      {v.status === "done" && !props.short && v.reason !== "" && v.reason !== v.outputs["reason"] && <span class="reason"> {beginning(v.reason, characters * 3)}</span>}
      {v.status !== "done" && (
        <span class="reason">
          {t.kinds[kind]}
          {v.reason !== "" && ": " + beginning(reasonText(v.reason), characters * 3)}
        </span>
      )}
      {!props.short && v.score !== undefined && v.outputs["score"] === undefined && <span class="reason"> {t.score(outputText(v.score))}</span>}
    </span>
  );
}
