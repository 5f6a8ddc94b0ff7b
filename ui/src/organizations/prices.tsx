// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { type Price, readPrices, setPrices } from "../api/organizations";
import { Ask } from "../form/ask";
import { Problem } from "../shell/problem";
import { Table } from "../table/table";
import { texts } from "../texts";
import { beginning, visible } from "../text/visible";
import { useLoaded } from "../use";

const t = texts.organizations.prices;

/** The number that was typed, undefined for none; what is no number goes to the API, which says so. */
function amount(text: string | undefined): number | undefined {
  const n = Number(text);
  return (text === undefined || text.trim() === "" ? undefined : Number.isFinite(n) ? n : text) as number | undefined;
}

const shown = (price: number | undefined) => (price === undefined ? t.asInput : `$${price}`);

/** The prices that an organization has of its own, by model. */
export function Prices(props: { organization: string }) {
  const [round, setRound] = useState(0);
  const [problem, setProblem] = useState("");
  const prices = useLoaded((signal) => readPrices(props.organization, signal), [props.organization, round]);
  const replace = async (next: (now: readonly Price[]) => Price[]) => {
    setProblem("");
    await setPrices(props.organization, next(await readPrices(props.organization, new AbortController().signal)));
    setRound((r) => r + 1);
  };
  const save = async (v: Record<string, string>) => {
    const [cacheRead, cacheWrite] = [amount(v.cache_read), amount(v.cache_write)];
    const price = { model: v.model ?? "", input: amount(v.input) as number, output: amount(v.output) as number, ...(cacheRead === undefined ? {} : { cache_read: cacheRead }), ...(cacheWrite === undefined ? {} : { cache_write: cacheWrite }) };
    try {
      await replace((now) => [...now.filter((p) => p.model !== price.model), price]);
    } catch (e) {
      throw new Error((e instanceof Error ? e.message : String(e)).replace(/^prices\[\d+\]\./, ""));
    }
  };
  const remove = async (model: string) => {
    try {
      await replace((now) => now.filter((p) => p.model !== model));
    } catch (e) {
      setProblem(e instanceof Error ? e.message : String(e));
    }
  };
  return (
    <section>
      <h2>{t.title}</h2>
      <p class="hint">{t.hint}</p>
      <Problem of={prices} />
      {problem !== "" && (
        <p class="problem" role="alert">
          {visible(problem)}
        </p>
      )}
      {prices.data !== undefined && prices.data.length > 0 && (
        <Table name={t.title} texts={[t.model]} numbers={[t.input, t.output, t.cacheRead, t.cacheWrite]}>
          {prices.data.map((p) => (
            <tr key={p.model}>
              <th scope="row">{beginning(p.model, 120)}</th>
              <td class="number" data-name={t.input}>{shown(p.input)}</td>
              <td class="number" data-name={t.output}>{shown(p.output)}</td>
              <td class="number" data-name={t.cacheRead}>{shown(p.cache_read)}</td>
              <td class="number" data-name={t.cacheWrite}>{shown(p.cache_write)}</td>
              <td>
                <button class="quiet" aria-label={t.removeOf(beginning(p.model, 120))} onClick={() => void remove(p.model)}>
                  {t.remove}
                </button>
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Ask
        action={t.set}
        onSubmit={save}
        fields={[
          { path: "model", label: t.model },
          { path: "input", label: t.input },
          { path: "output", label: t.output },
          { path: "cache_read", label: t.cacheRead, hint: t.cacheHint },
          { path: "cache_write", label: t.cacheWrite, hint: t.cacheHint },
        ]}
      />
    </section>
  );
}
