// SPDX-License-Identifier: Apache-2.0

import type { Alert } from "../api/alerts";
import { texts } from "../texts";
import { minuteOf } from "../text/format";
import { zone } from "../shell/settings";
import { isBad, isSilenced, type Shown, shownOf } from "./words";

const t = texts.alerts;

const icons: Readonly<Record<Shown, string>> = { firing: "!", no_data: "!", learning: "◌", ok: "●", paused: "‖" };

/** A status in words. */
export const Status = (props: { of: Shown }) => (
  <span class={isBad(props.of) ? "status degraded" : props.of === "ok" ? "status running" : "status"}>
    <span aria-hidden="true">{icons[props.of]}</span> {t.statuses[props.of]}
  </span>
);

/** What an alert is at, and until when it sends nothing. */
export function AlertStatus(props: { of: Alert; now: number }) {
  const { of: a, now } = props;
  return (
    <>
      <Status of={shownOf(a)} />
      {isSilenced(a, now) && <p class="hint">{t.silenced(minuteOf(Date.parse(a.silenced_until ?? ""), zone.value, now))}</p>}
    </>
  );
}
