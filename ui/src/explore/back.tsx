// SPDX-License-Identifier: Apache-2.0

import { Link } from "../shell/link";
import { texts } from "../texts";
import { listBefore } from "../url";

/** Leads to the list that was shown before. */
export function Back() {
  const { list, href } = listBefore.value;
  return (
    <Link href={href} class="back">
      ‹ {texts.explore.lists[list]}
    </Link>
  );
}
