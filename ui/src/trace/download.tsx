// SPDX-License-Identifier: Apache-2.0

import { useEffect, useRef, useState } from "preact/hooks";
import { readWhole } from "../api/spans";
import type { Trace } from "../api/traces";
import { saveFile } from "../save";
import { texts } from "../texts";
import { count } from "../text/format";

const t = texts.trace;

/** Saves the whole trace as JSON, every span in full. It stops when the screen is left. */
export function Download(props: { environment: string; trace: Trace }) {
  const { trace_id: id, total } = props.trace;
  const [have, setHave] = useState<number>();
  const [problem, setProblem] = useState("");
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const save = async () => {
    const left = new AbortController();
    running.current = left;
    setProblem("");
    setHave(0);
    try {
      const spans = await readWhole(props.environment, id, left.signal, (n) => left.signal.aborted || setHave(n));
      if (!left.signal.aborted) saveFile(`trace-${id}.json`, [JSON.stringify({ trace_id: id, spans })], "application/json");
    } catch (e) {
      if (!left.signal.aborted) setProblem(t.downloadFailed(e instanceof Error ? e.message : ""));
    }
    setHave(undefined);
  };
  if (have !== undefined) {
    return (
      <>
        <p role="status" class="hint">
          {t.downloading(count(have), count(total))}
        </p>
        <button onClick={() => running.current?.abort()}>{t.cancel}</button>
      </>
    );
  }
  return (
    <>
      {problem !== "" && <p class="problem">{problem}</p>}
      <button onClick={() => void save()}>{t.download}</button>
    </>
  );
}
