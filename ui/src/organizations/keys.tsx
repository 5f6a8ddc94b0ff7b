// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { type Key, type KeysOf, type Made, scopes } from "../api/organizations";
import { mayChange } from "../session";
import { Changes } from "../shell/changes";
import { Problem } from "../shell/problem";
import { zone } from "../shell/settings";
import { texts } from "../texts";
import { ago, moment } from "../text/format";
import { beginning, visible } from "../text/visible";
import { useLoaded } from "../use";
import { Ask, Confirm } from "../form/ask";

const t = texts.organizations;

/** The keys of an environment, and a form for one more. The key with the id own is the caller's, which it cannot revoke. */
export function Keys(props: { of: KeysOf; slug: string; own?: string | undefined; onMade: (made: Made) => void }) {
  const { of, slug } = props;
  const [round, setRound] = useState(0);
  const [revoking, setRevoking] = useState<Key>();
  const keys = useLoaded((signal) => of.read(signal), [of.id, round]);
  const again = () => setRound((r) => r + 1);
  const make = async (v: Record<string, string>) => {
    const made = await of.create(v.name ?? "", scopes.find((s) => s === v.scope) ?? "full");
    props.onMade({ slug: `${slug}, ${made.name}`, api_key: made.api_key });
    again();
  };
  return (
    <>
      <Problem of={keys} />
      {keys.data && (
        <div class="across">
          <table class="table">
            <caption class="unseen">{t.keysOf(visible(slug))}</caption>
            <thead>
              <tr>
                {[t.key, t.may, texts.monitors.columns.status, t.made, t.used].map((c) => (
                  <th scope="col" key={c}>
                    {c}
                  </th>
                ))}
                <td />
              </tr>
            </thead>
            <tbody>
              {keys.data.map((k) => (
                <tr key={k.id}>
                  <th scope="row">
                    {beginning(k.name, 80)} <code class="hint">{k.id.slice(0, 8)}</code>
                  </th>
                  <td>{texts.environment.scopes[k.scope] ?? t.scopes[k.scope]}</td>
                  <td>{t.keyStatuses[k.status]}</td>
                  <td data-name={t.made}>{moment(Date.parse(k.created_at), zone.value).slice(0, 16)}</td>
                  <td data-name={t.used}>{k.last_used_at === undefined ? texts.monitors.never : texts.monitors.ago(ago(Date.parse(k.last_used_at), Date.now()))}</td>
                  <td>
                    {k.id === props.own && <span class="hint">{t.ownKey}</span>}
                    {k.status === "active" && k.id !== props.own && mayChange.value && (
                      <button class="quiet" aria-label={texts.monitors.ofName(t.revoke, `${beginning(k.name, 80)} ${k.id.slice(0, 8)}`)} onClick={() => setRevoking(k)}>
                        {t.revoke}
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Changes>
        <Ask
          action={t.makeKey}
          onSubmit={make}
          fields={[
            { path: "name", label: t.keyName },
            { path: "scope", label: t.may, choices: scopes },
          ]}
        />
      </Changes>
      {revoking && (
        <Confirm
          title={t.revokeTitle(beginning(revoking.name, 80))}
          hint={t.revokeHint}
          name={revoking.name}
          action={t.revoke}
          onClose={() => setRevoking(undefined)}
          onDone={async () => {
            await of.revoke(revoking.id);
            again();
          }}
        />
      )}
    </>
  );
}
