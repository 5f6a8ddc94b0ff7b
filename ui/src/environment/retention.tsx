// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { readRetention, setRetention } from "../api/retention";
import { Ask } from "../form/ask";
import { whole } from "../form/typed";
import { Problem } from "../shell/problem";
import { zone, zoneName } from "../shell/settings";
import { moment } from "../text/format";
import { texts } from "../texts";
import { useLoaded } from "../use";

const t = texts.organizations;

/** A hint, and what a shorter retention takes away. */
export function whatGoes(hint: string, typed: string, now: number): string {
  const hours = Number(typed);
  if (!(hours >= 1 && hours < now)) return hint;
  return `${hint} ${t.goes(texts.environment.hours(hours), `${moment(Date.now() - hours * 3_600_000, zone.value).slice(0, 16)} ${zoneName.value}`)}`;
}

/** A form for how long the environment keeps spans. */
export function Retention(props: { environment: string; onChanged: () => void }) {
  const [round, setRound] = useState(0);
  const loaded = useLoaded((signal) => readRetention(props.environment, signal), [props.environment, round]);
  const now = loaded.data;
  const save = async (v: Record<string, string>) => {
    await setRetention(props.environment, whole(v.retention_hours ?? ""));
    setRound((r) => r + 1);
    props.onChanged();
  };
  return (
    <section>
      <h2>{texts.environment.retentionTitle}</h2>
      <Problem of={loaded} />
      {now && (
        <Ask
          key={now.retention_hours}
          action={texts.environment.setRetention}
          onSubmit={save}
          fields={[
            {
              path: "retention_hours",
              label: t.retentionHours,
              hint: (typed) => whatGoes(texts.environment.retentionRange(now.max_retention_hours), typed, now.retention_hours),
              value: String(now.retention_hours),
            },
          ]}
        />
      )}
    </section>
  );
}
