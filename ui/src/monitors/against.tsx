// SPDX-License-Identifier: Apache-2.0

import { readSchema } from "../api/evaluators";
import { ofSpans } from "../api/figures";
import type { Setup } from "../api/monitors";
import type { Filter } from "../api/spans";
import { againstOf, filtersParam } from "../filter/filter";
import { Link } from "../shell/link";
import { count } from "../text/format";
import { visible } from "../text/visible";
import { link } from "../url";
import { useLoaded } from "../use";

const days = 30;

type Props = {
  environment: string;
  setup: Setup;
  slug: string;
  /** When the spans began at the earliest, in Unix seconds; left out: 30 days ago. */
  from?: number;
  /** Says by another value that there may be more. */
  changed?: number;
  /** Whether the evaluator is named next to its numbers. */
  named?: boolean;
};

/** How many spans each output of an evaluator speaks against, with links to them; a dash where no output says what is good. */
export function Against(props: Props) {
  const { environment, setup, slug } = props;
  const found = useLoaded(
    async (signal) => {
      const { good } = await readSchema(environment, slug, signal);
      const from = props.from ?? Math.floor(Date.now() / 1000) - days * 86_400;
      return Promise.all(
        Object.entries(good).map(async ([output, value]) => {
          const id = `evaluation.${slug}.${output}`;
          const filters: Filter[] = [{ id: `touchstone.evaluation.${slug}.setup_id`, operator: "equals", value: setup.id }, ...againstOf(id, value)];
          const figures = await ofSpans(environment, { from, to: undefined, filters, measures: ["count"] }, signal);
          return { output, n: figures.total.count ?? 0, filters };
        }),
      );
    },
    [environment, setup.id, slug, props.from, props.changed],
  );
  const list = found.data ?? [];
  const period = props.from === undefined ? { t: `${days}d` } : { from: String(props.from), to: String(Math.ceil(Date.now() / 1000)) };
  if (list.length === 0) return <>–</>;
  return (
    <>
      {list.map(({ output, n, filters }) => (
        <span class="bad-output" key={output}>
          {(props.named || list.length > 1) && <span class="hint">{[props.named ? slug : "", list.length > 1 ? output : ""].filter((s) => s !== "").map(visible).join(" ")}</span>}{" "}
          {n === 0 ? (
            "0"
          ) : (
            <Link class="value" href={link(["spans"], { ...period, filters: filtersParam(filters) })}>
              {count(n)}
            </Link>
          )}
        </span>
      ))}
    </>
  );
}
