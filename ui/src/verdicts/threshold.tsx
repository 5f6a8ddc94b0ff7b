// SPDX-License-Identifier: Apache-2.0

import { useEffect, useState } from "preact/hooks";
import { readEvaluator, readSchema } from "../api/evaluators";
import { ofSpans } from "../api/figures";
import type { Filter } from "../api/spans";
import { boundsOf } from "../period/period";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { texts } from "../texts";
import { count, number } from "../text/format";
import { useLoaded } from "../use";
import { isOurs, type Wanted } from "./state";

const t = texts.trends;
const settling = 200; // milliseconds without a move after which spans are counted
const parts = 100;

/** The bound of a number: with fewer it fails, or with more. */
type Bound = { at: number; above: boolean };

/** The bound that an evaluator compares an output with by default, if it has one. */
async function readBound(environment: string, w: Wanted, signal: AbortSignal): Promise<Bound | undefined> {
  if (!isOurs(w.evaluator)) return undefined;
  const evaluator = await readEvaluator(environment, w.evaluator, signal);
  const said = /^([<>])=?(-?[\d.]+)$/.exec(evaluator.output_schema.find((o) => o.name === w.output)?.passes?.[0] ?? "");
  if (said !== null) return { at: Number(said[2]), above: said[1] === "<" };
  const at = w.output === "score" ? (await readSchema(environment, w.evaluator, signal)).config.properties?.threshold?.default : undefined;
  return typeof at === "number" ? { at, above: false } : undefined;
}

/** How many spans would fail with another bound, which can be dragged along the values of an output. */
export function Threshold(props: { environment: string; wanted: Wanted; id: string; least: number; most: number; href: (filters: Filter[]) => string }) {
  const { environment, wanted: w, id, least, most } = props;
  const bound = useLoaded((signal) => readBound(environment, w, signal), [environment, w.evaluator, w.output]);
  const [at, setAt] = useState<number>();
  const [settled, setSettled] = useState<number>();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(at), settling);
    return () => clearTimeout(timer);
  }, [at]);
  const above = bound.data?.above === true;
  const failing = (than: number): Filter => ({ id, operator: above ? "greater_than" : "less_than", value: than });
  const asked = settled ?? bound.data?.at;
  const counted = useLoaded(
    async (signal) => {
      if (asked === undefined) return undefined;
      const of = async (...filters: Filter[]) => (await ofSpans(environment, { ...boundsOf(w.period), filters: [...w.filters, ...filters], measures: ["count"] }, signal)).total.count ?? 0;
      const [all, now, before] = await Promise.all([of({ id, operator: "exists" }), of(failing(asked)), bound.data === undefined ? 0 : of(failing(bound.data.at))]);
      return { all, now, before, at: asked };
    },
    [environment, JSON.stringify([w.period, w.filters]), asked, above, bound.data?.at],
  );
  if (!("data" in bound) && bound.error === undefined) return null;
  const c = counted.data;
  return (
    <div class="threshold">
      <label>
        {t.threshold}
        <input type="range" min={least} max={most} step={(most - least) / parts} value={at ?? bound.data?.at ?? least} onInput={(e) => setAt(Number(e.currentTarget.value))} />
      </label>
      <Problem of={counted} />
      <p role="status">
        {c === undefined ? (
          t.dragThreshold
        ) : (
          <>
            {bound.data === undefined || bound.data.at === c.at ? t.wouldFail(number(c.at), count(c.now), count(c.all)) : t.wouldFailInstead(number(c.at), number(bound.data.at), count(c.now), count(c.before), count(c.all))}{" "}
            {c.now > 0 && <Link href={props.href([failing(c.at)])}>{t.theSpans}</Link>}
          </>
        )}
      </p>
    </div>
  );
}
