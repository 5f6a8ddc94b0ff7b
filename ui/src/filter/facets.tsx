// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { ofMetrics, ofSpans } from "../api/figures";
import type { Filter } from "../api/spans";
import { boundsOf, type Period } from "../period/period";
import { Problem } from "../shell/problem";
import { keep, kept } from "../storage";
import { texts } from "../texts";
import { count } from "../text/format";
import { beginning, visible } from "../text/visible";
import { useLoaded } from "../use";
import { toggled, valuesOf } from "./filter";

const t = texts.facets;
const most = 8; // values of a facet
const fields = ["span_type", "service_name", "llm.request.model", "status_code", "user_id"] as const;

/** A field with its frequent values, each with a number of spans. */
type Facet = { id: string; name: string; values: { id: string; value: string; name: string; n: number }[] };

const nameOf = (field: string, value: string) => (field === "status_code" ? (t.statuses[value] ?? visible(value)) : beginning(value, 60));

async function readFacets(environment: string, period: Period, filters: readonly Filter[], signal: AbortSignal): Promise<Facet[]> {
  const within = boundsOf(period);
  const ofField = async (id: (typeof fields)[number]): Promise<Facet> => {
    // The other values of a field are offered, too, where one is chosen.
    const others = filters.filter((f) => f.id !== id || valuesOf(f).length === 0);
    const { groups } = await ofSpans(environment, { ...within, filters: others, by: [id], measures: ["count"], top: most }, signal);
    const values = groups.map((g) => ({ value: g.keys[0] ?? "", n: g.total.count ?? 0 })).filter((v) => v.value !== "");
    return { id, name: t.fields[id], values: values.map((v) => ({ id, name: nameOf(id, v.value), ...v })) };
  };
  const ofFailing = async (): Promise<Facet> => {
    const { groups } = await ofMetrics(environment, { ...within, filters, by: ["evaluator"], measures: ["count", "against"], top: 50 }, signal);
    const values = groups.map((g) => ({ slug: g.keys[0] ?? "", n: g.total.against ?? 0 })).filter((v) => v.n > 0).sort((a, b) => b.n - a.n).slice(0, most);
    return { id: "failing", name: t.failing, values: values.map(({ slug, n }) => ({ id: `touchstone.evaluation.${slug}.good`, value: "false", name: beginning(slug, 60), n })) };
  };
  return (await Promise.all([...fields.map(ofField), ofFailing()])).filter((f) => f.values.length > 0);
}

type Props = { environment: string; period: Period; filters: readonly Filter[]; onChange: (filters: Filter[]) => void };

function Lists(props: Props & { round: unknown }) {
  const { environment, period, filters, onChange } = props;
  const read = useLoaded((signal) => readFacets(environment, period, filters, signal), [environment, JSON.stringify([period, filters]), props.round]);
  const isChosen = (id: string, value: string) => filters.some((f) => f.id === id && valuesOf(f).includes(value));
  return (
    <div class={read.busy ? "lists stale" : "lists"}>
      <Problem of={read} />
      {read.data?.map((f) => (
        <fieldset key={f.id}>
          <legend>{f.name}</legend>
          <ul>
            {f.values.map((v) => (
              <li key={v.id + v.value}>
                <label class="check">
                  <input type="checkbox" checked={isChosen(v.id, v.value)} onChange={() => onChange(toggled(filters, v.id, v.value))} />
                  <span class="one-line">{v.name}</span>
                  <span class="hint">{count(v.n)}</span>
                </label>
                <button class="quiet icon" aria-label={t.without(v.name)} title={t.without(v.name)} onClick={() => onChange([...filters, { id: v.id, operator: "not_equals", value: v.value }])}>
                  ≠
                </button>
              </li>
            ))}
          </ul>
        </fieldset>
      ))}
    </div>
  );
}

/** What values there are and how many spans have each; one that is ticked is a filter. They are read while they are open. */
export function Facets(props: Props & { /** They are read again when this changes. */ round: unknown }) {
  const [open, setOpen] = useState(kept("facets").value === "1");
  return (
    <details
      class="facets"
      open={open}
      onToggle={(e) => {
        setOpen(e.currentTarget.open);
        keep("facets", e.currentTarget.open ? "1" : "");
      }}
    >
      <summary>{t.title}</summary>
      {open && <Lists {...props} />}
    </details>
  );
}
