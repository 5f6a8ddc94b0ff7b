// SPDX-License-Identifier: Apache-2.0

import { useState } from "preact/hooks";
import { createOrganization, type EnvironmentRecord, type Made, readOrganizations } from "../api/organizations";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { Skeleton } from "../shell/skeleton";
import { zone } from "../shell/settings";
import { texts } from "../texts";
import { ago, count, moment } from "../text/format";
import { beginning, visible } from "../text/visible";
import { link } from "../url";
import { useLoaded } from "../use";
import { Ask } from "../form/ask";
import { whole } from "../form/typed";
import { Once } from "./once";

const t = texts.organizations;

/** The spans that all environments keep; undefined where that is not known of one. */
const stored = (list: readonly EnvironmentRecord[]) =>
  list.reduce<number | undefined>((sum, e) => (sum === undefined || e.stored_spans === undefined ? undefined : sum + e.stored_spans), 0);

/** When a key of any environment was used last, "" where none was. */
const used = (list: readonly EnvironmentRecord[]) => list.map((e) => e.last_used_at ?? "").sort().at(-1) ?? "";

function storedText(list: readonly EnvironmentRecord[]) {
  const n = stored(list);
  return n === undefined ? "–" : count(n);
}

function usedText(list: readonly EnvironmentRecord[]) {
  const last = used(list);
  return last === "" ? texts.monitors.never : texts.monitors.ago(ago(Date.parse(last), Date.now()));
}

/** All organizations, and a form for a new one. */
export function List() {
  const [round, setRound] = useState(0);
  const [made, setMade] = useState<readonly Made[]>([]);
  const all = useLoaded(readOrganizations, [round]);
  const create = async (v: Record<string, string>) => {
    const envs = (v.envs ?? "").split(",").map((e) => e.trim()).filter((e) => e !== "");
    const created = await createOrganization(v.org_name ?? "", envs, whole(v.retention_hours ?? ""));
    setMade(created.environments);
    setRound(round + 1);
  };
  return (
    <div class="list wide">
      <h1>{t.title}</h1>
      <p class="hint">{texts.operator.hint}</p>
      {made.length > 0 && <Once made={made} onStored={() => setMade([])} />}
      <Problem of={all} />
      {all.data === undefined && all.error === undefined && <Skeleton rows={4} />}
      {all.data?.length === 0 && <p>{t.none}</p>}
      {all.data !== undefined && all.data.length > 0 && (
        <div class="across">
          <table class="table">
            <caption class="unseen">{t.title}</caption>
            <thead>
              <tr>
                {[t.name, t.environments, t.retention, texts.monitors.columns.status, t.made].map((c) => (
                  <th scope="col" key={c}>
                    {c}
                  </th>
                ))}
                <th scope="col" class="number">
                  {t.spans}
                </th>
                <th scope="col" class="number">
                  {t.used}
                </th>
              </tr>
            </thead>
            <tbody>
              {all.data.map((o) => (
                <tr key={o.id}>
                  <th scope="row">
                    <Link href={link(["organizations", o.id])}>{beginning(o.name, 120)}</Link>
                  </th>
                  <td data-name={t.environments}>{o.environments.map((e) => visible(e.slug)).join(", ")}</td>
                  <td data-name={t.retention}>{texts.environment.hours(o.retention_hours)}</td>
                  <td>{t.statuses[o.status]}</td>
                  <td data-name={t.made}>{moment(Date.parse(o.created_at), zone.value).slice(0, 16)}</td>
                  <td class="number" data-name={t.spans}>{storedText(o.environments)}</td>
                  <td class="number" data-name={t.used}>{usedText(o.environments)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <section>
        <h2>{t.add}</h2>
        <Ask
          action={t.create}
          onSubmit={create}
          fields={[
            { path: "org_name", label: t.name },
            { path: "envs", label: t.environments, hint: t.environmentsHint },
            { path: "retention_hours", label: t.retentionHours, hint: t.retentionHint },
          ]}
        />
      </section>
    </div>
  );
}
