// SPDX-License-Identifier: Apache-2.0

import { type Agreement, readAgreement } from "../api/agreement";
import { readSchema } from "../api/evaluators";
import { peopleOf } from "../api/labels";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { texts } from "../texts";
import { count, number, percent } from "../text/format";
import { intervalOf } from "../text/interval";
import { visible } from "../text/visible";
import { link } from "../url";
import { useLoaded } from "../use";

const t = texts.review;

/** How often people say otherwise, of the results that said one thing. */
function wrongOf(of: Agreement, said: "true" | "false"): string | undefined {
  const [own, other] = [of.categories.indexOf(said), of.categories.indexOf(said === "true" ? "false" : "true")];
  const row = of.confusion[own] ?? [];
  const all = row.reduce((sum, n) => sum + n, 0);
  if (all === 0) return undefined;
  const wrong = row[other] ?? 0;
  const [low, high] = intervalOf(wrong, all);
  return t.share(percent(wrong / all), percent(low), percent(high));
}

/** What reviews by people say of an evaluator's results in a period, of one monitor where it is named. */
export function Reviewed(props: { environment: string; evaluator: string; setup?: string; from: number; changed?: unknown }) {
  const { environment, evaluator, setup } = props;
  const read = useLoaded(
    async (signal) => {
      const [first] = Object.entries((await readSchema(environment, evaluator, signal)).good);
      if (first === undefined) return undefined;
      const [output, good] = first;
      const metric = `${evaluator}.${output}`;
      const own = { metric, true: String(good), ...(setup === undefined ? {} : { by: setup }) };
      return { metric, of: await readAgreement(environment, own, { metric: peopleOf(evaluator) + ".value", true: "true" }, { from: props.from, to: undefined, by: [] }, signal) };
    },
    [environment, evaluator, setup, props.changed],
  );
  if (read.data === undefined) return <Problem of={read} />;
  const { metric, of } = read.data;
  const [fails, passes] = [wrongOf(of, "false"), wrongOf(of, "true")];
  return (
    <li>
      <b>{visible(evaluator)}</b>{" "}
      {of.spans === 0 ? t.none : [t.reviewed(count(of.spans), of.spans), fails && t.wrongFails(fails), passes && t.wrongPasses(passes), of.kappa && t.kappa(number(of.kappa.value), number(of.kappa.low), number(of.kappa.high))].filter(Boolean).join(" ")}{" "}
      <Link href={link(["review"], { m: metric })}>{t.review}</Link>
    </li>
  );
}
