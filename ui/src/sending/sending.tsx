// SPDX-License-Identifier: Apache-2.0

import { type Me, readMe } from "../api/me";
import { CopyableLines } from "../shell/copy";
import { texts } from "../texts";
import { visible } from "../text/visible";
import { useLoaded } from "../use";

const t = texts.environment;

/** What an application has to be told to send its spans, as lines of a shell. Values of headers are percent-encoded, as the variable wants them. */
export function linesOf(me: Me | undefined): string {
  const endpoint = me?.otlp?.http ?? `${location.protocol}//${location.hostname}:4318`;
  return [
    `export OTEL_EXPORTER_OTLP_ENDPOINT="${visible(endpoint)}"`,
    'export OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf"',
    `export OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20${t.keyPlaceholder}"`,
  ].join("\n");
}

/** How an application sends its spans here. */
export function Sending(props: { environment: string }) {
  const me = useLoaded((signal) => readMe(props.environment, signal), [props.environment]);
  if (me.busy && me.error === undefined) return null; // the address may be another than one would guess
  return (
    <section class="sending">
      <h2>{t.send}</h2>
      <p>{t.sendHint}</p>
      <CopyableLines name={t.send} text={linesOf(me.data)} />
    </section>
  );
}
