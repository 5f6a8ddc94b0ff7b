// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { type CustomWish, tryCustom } from "../api/evaluators";
import { type Refused, SchemaFields } from "../form/fields";
import { objectOf, type Typed } from "../form/typed";
import { texts } from "../texts";
import { type Draft, inputOf, namedByTrial, type Paths } from "./own";
import { Results } from "./results";
import { useRuns } from "./runs";

const t = texts.evaluators;

/** How many results stay, above what saves. */
const most = 5;

type Props = { environment: string; draft: Draft; paths: Paths; wish: () => CustomWish; refused: Refused; onRefused: (refused: Refused) => void };

/** Runs a custom evaluator as it is written now, before it is saved. */
export function Trial(props: Props) {
  const { environment, draft, paths } = props;
  const [input, setInput] = useState<Typed>({});
  const runs = useRuns(most);
  const schema = inputOf(draft);
  const run = async () => {
    props.onRefused(undefined);
    const message = await runs.begin(runs.next(), "", async (signal) => ({ done: await tryCustom(environment, props.wish(), objectOf(schema, input), signal) }));
    const path = message === undefined ? undefined : namedByTrial(message, draft, paths);
    if (message !== undefined && path !== undefined) props.onRefused({ path, message });
  };
  return (
    <fieldset>
      <legend>{t.own.trial}</legend>
      <p class="hint">{t.own.trialHint}</p>
      <div class="fields">
        <SchemaFields schema={schema} path="input" typed={input} refused={props.refused} long onChange={setInput} />
      </div>
      <p>
        <button type="button" onClick={() => void run()}>
          {t.run}
        </button>
      </p>
      <div role="group" aria-label={t.results} aria-live="polite">
        {runs.list.length > 0 && <Results list={runs.list} />}
      </div>
    </fieldset>
  );
}
