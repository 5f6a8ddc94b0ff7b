// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { changeOrganization, createEnvironment, type EnvironmentRecord, keysOf, type Made, type Organization, readOrganization, removeOrganization } from "../api/organizations";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { texts } from "../texts";
import { visible } from "../text/visible";
import { link } from "../url";
import { useLoaded } from "../use";
import { whatGoes } from "../environment/retention";
import { Ask, Confirm } from "../form/ask";
import { whole } from "../form/typed";
import { Keys } from "./keys";
import { Once } from "./once";
import { Prices } from "./prices";

const t = texts.organizations;

function Environment(props: { organization: Organization; environment: EnvironmentRecord; onMade: (made: Made) => void }) {
  const { environment: e } = props;
  return (
    <section>
      <h2>
        {visible(e.slug)} <span class="hint">{t.kept(texts.environment.hours(e.retention_hours))}</span>
      </h2>
      <p class="hint">
        <code>{e.id}</code>
      </p>
      <Keys of={keysOf(props.organization.id, e.slug)} slug={e.slug} onMade={props.onMade} />
    </section>
  );
}

/** One organization: its name and retention, its environments with their keys. */
export function Detail(props: { id: string }) {
  const [round, setRound] = useState(0);
  const [made, setMade] = useState<readonly Made[]>([]);
  const [removing, setRemoving] = useState(false);
  const loaded = useLoaded((signal) => readOrganization(props.id, signal), [props.id, round]);
  const o = loaded.data;
  const again = () => setRound((r) => r + 1);
  const save = async (v: Record<string, string>) => {
    const hours = whole(v.retention_hours ?? "");
    await changeOrganization(props.id, { name: v.name ?? "", ...(hours === undefined ? {} : { retention_hours: hours }) });
    again();
  };
  const add = async (v: Record<string, string>) => {
    setMade([await createEnvironment(props.id, v.slug ?? "")]);
    again();
  };
  return (
    <div class="list wide">
      <Link href={link(["organizations"])} class="back">
        ‹ {t.title}
      </Link>
      <h1>{visible(o?.name ?? t.title)}</h1>
      <Problem of={loaded} />
      {made.length > 0 && <Once made={made} onStored={() => setMade([])} />}
      {o && o.status !== "active" && <p class="note">{t.statuses[o.status]}</p>}
      {o && o.status === "active" && (
        <>
          {o.environments.map((e) => (
            <Environment key={e.id} organization={o} environment={e} onMade={(m) => setMade([m])} />
          ))}
          <section>
            <h2>{t.addEnvironment}</h2>
            <Ask action={t.addIt} onSubmit={add} fields={[{ path: "slug", label: t.slug }]} />
          </section>
          <Prices organization={o.id} />
          <section>
            <h2>{t.change}</h2>
            <Ask
              key={o.name + o.retention_hours}
              action={texts.monitors.save}
              onSubmit={save}
              fields={[
                { path: "name", label: t.name, value: o.name },
                { path: "retention_hours", label: t.retentionHours, hint: (typed) => whatGoes(t.shorter, typed, o.retention_hours), value: String(o.retention_hours) },
              ]}
            />
            <p class="actions">
              <button onClick={() => setRemoving(true)}>{t.remove}</button>
            </p>
          </section>
        </>
      )}
      {removing && o && (
        <Confirm
          title={t.removeTitle(visible(o.name))}
          hint={t.removeHint}
          name={o.name}
          action={t.remove}
          onClose={() => setRemoving(false)}
          onDone={async () => {
            await removeOrganization(o.id);
            again();
          }}
        />
      )}
    </div>
  );
}
