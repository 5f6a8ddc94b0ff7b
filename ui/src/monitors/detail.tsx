// SPDX-License-Identifier: Apache-2.0

import { useEffect, useState } from "preact/hooks";
import { readSetup, readStatus, type Setup, type SetupStatus } from "../api/monitors";
import { useRounds } from "../rounds";
import { Changes } from "../shell/changes";
import { Link } from "../shell/link";
import { Problem } from "../shell/problem";
import { Skeleton } from "../shell/skeleton";
import { zone } from "../shell/settings";
import { texts } from "../texts";
import { moment } from "../text/format";
import { sentence } from "../text/sentence";
import { visible } from "../text/visible";
import { link, place } from "../url";
import { useLoaded } from "../use";
import { Backfills } from "./backfills";
import { FunnelOf } from "./funnel";
import { Overview } from "./overview";
import { Settings } from "./settings";
import { readHours } from "./state";
import { isWalking, nameOf, PauseButton, resting, StateMark, walking } from "./status";

const t = texts.monitors;
const tabs = ["overview", "funnel", "settings", "backfill"] as const;
type Tab = (typeof tabs)[number];

const time = (iso: string) => moment(Date.parse(iso), zone.value).slice(0, 16);

/** Says that a monitor is paused, or which spans a pause left out. */
function Pause(props: { setup: Setup }) {
  const { paused, paused_since: since, resumed_at: resumed } = props.setup;
  if (since === undefined) return null;
  if (paused) return <p class="note">{t.paused(time(since))}</p>;
  if (resumed === undefined) return null;
  const seconds = (iso: string) => String(Math.floor(Date.parse(iso) / 1000));
  return (
    <p class="note">
      {t.resumed(time(since), time(resumed))}{" "}
      <Link href={link(["monitors", nameOf(props.setup)], { tab: "backfill", from: seconds(since), to: seconds(resumed) })}>{t.judgeThem}</Link>
    </p>
  );
}

function Dead(props: { setup: Setup; status: SetupStatus }) {
  const { dead } = props.status;
  if (dead === undefined) return null;
  return (
    <div class="notice">
      <p>{sentence(dead.sentence)}</p>
      <Link href={link(["monitors", nameOf(props.setup)], { tab: "funnel" })} class="button">
        {t.tabs.funnel}
      </Link>
    </div>
  );
}

/** One monitor: what came of it, how spans pass its rules, what it is, and judging what was before it. */
export function Detail(props: { environment: string; name: string }) {
  const { environment, name } = props;
  const [every, setEvery] = useState(walking);
  const { round, again: anew } = useRounds(every);
  const [problem, setProblem] = useState("");
  const read = useLoaded((signal) => readSetup(environment, name, signal), [environment, name, round]);
  const status = useLoaded((signal) => readStatus(environment, name, signal), [environment, name, round]);
  const id = read.data?.setup.id;
  const hours = useLoaded(async (signal) => (id === undefined ? undefined : await readHours(environment, signal, id)), [environment, id, round]);
  const tab: Tab = tabs.find((one) => one === place.value.params.tab) ?? "overview";
  const setup = read.data?.setup;
  const walks = setup === undefined || isWalking(setup);
  useEffect(() => setEvery(walks ? walking : resting), [walks]);
  const again = () => {
    setProblem("");
    anew();
  };
  if (read.error?.status === 404) {
    return (
      <div class="list">
        <h1>{t.unknown}</h1>
        <Link href={link(["monitors"])} class="button">
          {t.back}
        </Link>
      </div>
    );
  }
  return (
    <div class="list wide">
      <Link href={link(["monitors"])} class="back">
        ‹ {t.back}
      </Link>
      <div class="head">
        <h1>{visible(setup?.external_id ?? name)}</h1>
        {setup && <PauseButton environment={environment} setup={setup} onDone={again} onProblem={setProblem} />}
        {setup && (
          <Changes>
            <Link href={link(["monitors", nameOf(setup), "edit"])} class="button">
              {t.edit}
            </Link>
          </Changes>
        )}
        {setup && hours.data && <StateMark environment={environment} setup={setup} hour={hours.data.get(setup.id) ?? {}} explain={status.data !== undefined && status.data.dead === undefined} />}
      </div>
      {problem !== "" && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <Problem of={read} />
      {setup === undefined && read.error === undefined && <Skeleton rows={8} />}
      {setup && <Pause setup={setup} />}
      {setup && status.data && <Dead setup={setup} status={status.data} />}
      <nav class="parts" aria-label={t.parts}>
        <ul>
          {tabs.map((one) => (
            <li key={one}>
              <Link href={link(["monitors", name], { tab: one === "overview" ? "" : one })} current={one === tab}>
                {t.tabs[one]}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {tab === "overview" && <Problem of={status} />}
      {tab === "overview" && setup && status.data && <Overview environment={environment} setup={setup} status={status.data} />}
      {tab === "funnel" && setup && <FunnelOf environment={environment} setup={setup} />}
      {tab === "settings" && setup && <Settings environment={environment} setup={setup} />}
      {tab === "backfill" && setup && <Backfills environment={environment} setup={setup} />}
    </div>
  );
}
