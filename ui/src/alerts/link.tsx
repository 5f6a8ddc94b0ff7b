// SPDX-License-Identifier: Apache-2.0

import { Changes } from "../shell/changes";
import { Link } from "../shell/link";
import { texts } from "../texts";
import { link, type Params } from "../url";

/** Leads from a chart to an alert on what it shows. */
export function AlertLink(props: { chart: string; of: Params }) {
  return (
    <Changes>
      <Link href={link(["alerts", "new"], props.of)} class="to-alert" label={texts.alerts.ofChartOf(props.chart)}>
        {texts.alerts.ofChart}
      </Link>
    </Changes>
  );
}
