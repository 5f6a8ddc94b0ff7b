// SPDX-License-Identifier: Apache-2.0

import { choices, choose, chosen, environment, operator, signOut } from "../session";
import { texts } from "../texts";
import { change, go, link, place } from "../url";
import { Lag } from "./lag";
import { Link } from "./link";
import { Mark } from "./mark";
import { homeOf, menuOf } from "./screens";
import { nextTheme, nextZone, theme, zone, zoneName } from "./settings";

const t = texts.header;

function name(id: string): string {
  if (id === operator) return t.operator;
  const e = environment(id);
  return e === undefined ? id : texts.environment.of(e.organization, e.slug);
}

function Switcher() {
  const all = choices.value;
  const options = all.includes(chosen.value) ? all : [chosen.value, ...all];
  return (
    <select
      class="switcher"
      aria-label={t.environment}
      title={name(chosen.value)}
      value={chosen.value}
      onChange={(e) => {
        choose(e.currentTarget.value);
        change({ env: e.currentTarget.value });
      }}
    >
      {options.map((id) => (
        <option key={id} value={id}>
          {name(id)}
        </option>
      ))}
    </select>
  );
}

export function Header(props: { onKeys: () => void }) {
  const leave = async () => {
    await signOut();
    go(link(["signin"], { env: "" }));
  };
  return (
    <header>
      <div class="bar">
        <Link href={link([homeOf(chosen.value)])} class="brand">
          <Mark />
        </Link>
        <Switcher />
        <div class="tools">
          <button class="quiet" title={t.zone[zone.value]} onClick={nextZone}>
            {zoneName.value}
          </button>
          <button class="quiet icon" aria-label={t.theme[theme.value]} title={t.theme[theme.value]} onClick={nextTheme}>
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" data-shows={theme.value}>
              <circle cx="8" cy="8" r="6.25" />
              <path d="M8 1.75a6.25 6.25 0 0 1 0 12.5z" />
            </svg>
          </button>
          <button class="quiet icon" aria-label={t.keys} title={t.keys} aria-haspopup="dialog" onClick={props.onKeys}>
            ?
          </button>
          <button class="quiet" onClick={() => void leave()}>
            {t.signOut}
          </button>
        </div>
      </div>
      <div class="bar lower">
        <nav aria-label={texts.menu}>
          <ul>
            {menuOf(chosen.value, place.value.path).map((s) => (
              <li key={s.path}>
                <Link href={link([s.path])} current={s.current}>
                  {s.title}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        {chosen.value !== operator && <Lag environment={chosen.value} />}
      </div>
    </header>
  );
}
