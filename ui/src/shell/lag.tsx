// SPDX-License-Identifier: Apache-2.0

import { useEffect, useState } from "preact/hooks";
import { readMonitoringStatus } from "../api/monitoring";
import { texts } from "../texts";
import { duration } from "../text/format";

const every = 10_000; // milliseconds
const first = 1500; // after which it is asked for the first time: the first view has the server for itself

/** Says how far evaluation is behind; nothing while that is not known. */
export function Lag(props: { environment: string }) {
  const [seconds, setSeconds] = useState<number>();
  useEffect(() => {
    const left = new AbortController();
    const look = async () => {
      if (document.hidden) return;
      try {
        setSeconds((await readMonitoringStatus(props.environment, left.signal)).lag_in_seconds);
      } catch {
        if (!left.signal.aborted) setSeconds(undefined);
      }
    };
    let timer = setTimeout(function again() {
      void look();
      timer = setTimeout(again, every);
    }, first);
    return () => {
      left.abort();
      clearTimeout(timer);
    };
  }, [props.environment]);
  if (seconds === undefined) return null;
  return <p class="lag">{seconds === 0 ? texts.header.upToDate : texts.header.behind(duration(seconds * 1000))}</p>;
}
