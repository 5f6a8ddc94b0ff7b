// SPDX-License-Identifier: Apache-2.0

import { useEffect, useRef, useState } from "preact/hooks";

const every = 5000; // milliseconds

/** A text for screen readers. While it changes often, it is announced at most every five seconds. */
export function Slowly(props: { text: string; often: boolean }) {
  if (props.often) return <Often text={props.text} />;
  return (
    <p role="status" class="hint">
      {props.text}
    </p>
  );
}

function Often(props: { text: string }) {
  const { text } = props;
  const [said, setSaid] = useState(text);
  const last = useRef(0);
  useEffect(() => {
    const say = () => {
      last.current = Date.now();
      setSaid(text);
    };
    const timer = setTimeout(say, Math.max(0, last.current + every - Date.now()));
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <>
      <p class="hint" aria-hidden="true">
        {text}
      </p>
      <p role="status" class="unseen">
        {said}
      </p>
    </>
  );
}
