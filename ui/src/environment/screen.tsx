// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { type Me, readMe } from "../api/me";
import { type Made, ownKeysOf } from "../api/organizations";
import * as server from "../api/session";
import { Keys } from "../organizations/keys";
import { Once } from "../organizations/once";
import { load, operator } from "../session";
import { Sending } from "../sending/sending";
import { Changes } from "../shell/changes";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { texts } from "../texts";
import { link } from "../url";
import { useLoaded } from "../use";
import { Mappings } from "./mappings";
import { Retention } from "./retention";

const t = texts.environment;

function Fact(props: { name: string; code?: boolean; value: string }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.code ? <code>{props.value}</code> : props.value}</dd>
    </div>
  );
}

function Facts(props: { me: Me }) {
  const { me } = props;
  const models = ([["judge", t.judge], ["embedding", t.embedding], ["classifier", t.classifier]] as const)
    .filter(([kind]) => me.models[kind])
    .map(([, name]) => name);
  return (
    <dl class="facts">
      {me.environment && <Fact name={t.retention} value={t.hours(me.environment.retention_hours)} />}
      {me.scope && <Fact name={t.scope} value={t.scopes[me.scope] ?? me.scope} />}
      <Fact name={t.models} value={models.length > 0 ? models.join(", ") : t.noModels} />
      <Fact name={t.version} value={me.version} />
      {me.environment && <Fact name={t.id} value={me.environment.id} code />}
      {me.key_id && <Fact name={t.keyID} value={me.key_id} code />}
    </dl>
  );
}

/** The keys of the environment, for who may make more. */
function OwnKeys(props: { environment: string; me: Me }) {
  const [made, setMade] = useState<readonly Made[]>([]);
  return (
    <section class="own-keys">
      <h2>{t.keys}</h2>
      {made.length > 0 && <Once made={made} onStored={() => setMade([])} />}
      <Keys of={ownKeysOf(props.environment)} slug={props.me.environment?.slug ?? ""} own={props.me.key_id} onMade={(m) => setMade([m])} />
    </section>
  );
}

/** Whose key this is, what it may do, and how to send spans with it. */
export function EnvironmentScreen(props: { environment: string }) {
  const me = useLoaded((signal) => readMe(props.environment, signal), [props.environment]);
  const leave = async () => {
    await server.signOutOf(props.environment);
    await load();
  };
  const heading =
    props.environment === operator
      ? texts.operator.title
      : me.data?.organization && me.data.environment
        ? t.of(me.data.organization.name, me.data.environment.slug)
        : t.title;
  return (
    <div class="reading">
      <h1>{heading}</h1>
      {props.environment === operator && <p>{texts.operator.hint}</p>}
      <Problem of={me} />
      {me.data && <Facts me={me.data} />}
      <p class="actions">
        <Link href={link(["signin"])} class="button">
          {t.add}
        </Link>
        <button onClick={() => void leave()}>{t.leave}</button>
      </p>
      {me.data && props.environment !== operator && <Sending environment={props.environment} />}
      {me.data && props.environment !== operator && <Mappings environment={props.environment} />}
      {me.data?.environment && <OwnKeys environment={props.environment} me={me.data} />}
      {me.data?.environment && (
        <Changes>
          <Retention environment={props.environment} onChanged={me.again} />
        </Changes>
      )}
    </div>
  );
}
