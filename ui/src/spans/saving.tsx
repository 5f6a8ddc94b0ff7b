// SPDX-License-Identifier: Apache-2.0

import { useEffect, useRef, useState } from "preact/hooks";
import type { SpanQuery } from "../api/spans";
import { saveFile } from "../save";
import { texts } from "../texts";
import { count } from "../text/format";
import { exported, type Kind, mostSpans } from "./export";

const t = texts.spans;

/** Saves all that is filtered, in a form that a menu offers. It stops when it is cancelled and when the screen is left. */
export function ExportMenu(props: { environment: string; query: SpanQuery }) {
  const [have, setHave] = useState<number>();
  const [said, setSaid] = useState("");
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const save = async (kind: Kind) => {
    const left = new AbortController();
    running.current = left;
    setSaid("");
    setHave(0);
    try {
      let all = 0;
      const parts = await exported(kind, props.environment, props.query, left.signal, (have) => {
        all = have;
        if (!left.signal.aborted) setHave(have);
      });
      if (!left.signal.aborted) {
        saveFile(`spans-${new Date().toISOString().replace(/\D/g, "").slice(0, 14)}.${kind}`, parts, kind === "csv" ? "text/csv" : "application/x-ndjson");
        setSaid(all >= mostSpans ? t.exportedMost(count(mostSpans)) : t.exported(count(all), all));
      }
    } catch (e) {
      if (!left.signal.aborted) setSaid(t.exportFailed(e instanceof Error ? e.message : ""));
    }
    if (!left.signal.aborted) setHave(undefined);
  };
  const cancel = () => {
    running.current?.abort();
    setHave(undefined);
  };
  return (
    <>
      {have === undefined ? (
        <details class="views">
          <summary>{t.exportMenu}</summary>
          <div>
            {(["csv", "jsonl"] as const).map((kind) => (
              <button key={kind} class="quiet" onClick={() => void save(kind)}>
                {t.export[kind]}
              </button>
            ))}
          </div>
        </details>
      ) : (
        <>
          <progress aria-label={t.exporting} />
          <button class="quiet" onClick={cancel}>
            {texts.trace.cancel}
          </button>
        </>
      )}
      <p role="status" class="hint">
        {have === undefined ? said : t.exportingOf(count(have))}
      </p>
    </>
  );
}
