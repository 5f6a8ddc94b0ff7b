// SPDX-License-Identifier: Apache-2.0

import { CopyableLines } from "../shell/copy";
import { texts } from "../texts";

const t = texts.environment;

/** What an application has to be told to send its spans here. */
export function Sending() {
  const endpoint = `${location.protocol}//${location.hostname}:4318`;
  return (
    <section>
      <h2>{t.send}</h2>
      <p>{t.sendHint}</p>
      <CopyableLines name={t.send} text={`OTEL_EXPORTER_OTLP_ENDPOINT=${endpoint}\nOTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer ${t.keyPlaceholder}`} />
    </section>
  );
}
