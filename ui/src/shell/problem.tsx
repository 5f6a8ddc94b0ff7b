// SPDX-License-Identifier: Apache-2.0

import { texts } from "../texts";
import { visible } from "../text/visible";
import type { Loaded } from "../use";

/** Says what failed, when it is tried again, and lets it be tried now. */
export function Problem(props: { of: Pick<Loaded<unknown>, "error" | "retryIn" | "again"> }) {
  const { error, retryIn, again } = props.of;
  if (error === undefined) return null;
  return (
    <div class="notice" role="alert">
      <p>
        {error.message} {retryIn !== undefined && <span aria-hidden="true">{texts.nextTry(retryIn)}</span>}
        {error.request !== "" && <span class="request">{texts.request(visible(error.request))}</span>}
      </p>
      <button onClick={again}>{texts.tryAgain}</button>
    </div>
  );
}
