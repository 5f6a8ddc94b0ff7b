// SPDX-License-Identifier: Apache-2.0

import { useId } from "preact/hooks";
import { ruleOperators } from "../api/monitors";
import { Field, type Refused } from "../form/fields";
import { texts } from "../texts";
import { type DraftRule, emptyRule, hasValue } from "./draft";

const t = texts.monitors;
const known = ["span_type", "llm.vendor", "llm.request.model", "service.name", "gen_ai.operation.name", "traceloop.workflow.name", "deployment.environment"];

/** Which spans are judged. */
export function Rules(props: { rules: readonly DraftRule[]; refused: Refused; onChange: (rules: DraftRule[]) => void }) {
  const { rules, refused, onChange } = props;
  const id = useId();
  const change = (at: number, part: Partial<DraftRule>) => onChange(rules.map((r, i) => (i === at ? { ...r, ...part } : r)));
  return (
    <fieldset>
      <legend>{t.rules}</legend>
      <p class="hint">{t.rulesHint}</p>
      <datalist id={id}>
        {known.map((k) => (
          <option key={k} value={k} />
        ))}
      </datalist>
      {rules.map((r, i) => (
        <div class="condition" key={i}>
          <Field path={`selector[${i}].key`} label={t.key} refused={refused}>
            {(given) => <input {...given} list={id} spellcheck={false} autocomplete="off" value={r.key} onInput={(e) => change(i, { key: e.currentTarget.value })} />}
          </Field>
          <Field path={`selector[${i}].source`} label={t.source} refused={refused}>
            {(given) => (
              <select {...given} value={r.source} onChange={(e) => change(i, { source: e.currentTarget.value === "resource_attributes" ? "resource_attributes" : "span_attributes" })}>
                <option value="span_attributes">{t.sources.span_attributes}</option>
                <option value="resource_attributes">{t.sources.resource_attributes}</option>
              </select>
            )}
          </Field>
          <Field path={`selector[${i}].operator`} label={t.operator} refused={refused}>
            {(given) => (
              <select {...given} value={r.operator} onChange={(e) => change(i, { operator: ruleOperators.find((o) => o === e.currentTarget.value) ?? "equals" })}>
                {ruleOperators.map((o) => (
                  <option key={o} value={o}>
                    {texts.trace.operators[o]}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {hasValue(r.operator) && (
            <Field
              path={`selector[${i}].${r.operator === "in" || r.operator === "not_in" ? "values" : "value"}`}
              label={t.value}
              hint={r.operator === "in" || r.operator === "not_in" ? t.valueHint : undefined}
              refused={refused}
            >
              {(given) => <input {...given} spellcheck={false} autocomplete="off" value={r.value} onInput={(e) => change(i, { value: e.currentTarget.value })} />}
            </Field>
          )}
          <button type="button" class="quiet icon" aria-label={t.removeRule(i + 1)} onClick={() => onChange(rules.filter((_, at) => at !== i))}>
            ✕
          </button>
        </div>
      ))}
      <p>
        <button type="button" onClick={() => onChange([...rules, emptyRule])}>
          {t.addRule}
        </button>
      </p>
    </fieldset>
  );
}
