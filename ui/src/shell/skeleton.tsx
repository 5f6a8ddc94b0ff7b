// SPDX-License-Identifier: Apache-2.0

import { texts } from "../texts";

/** Stands where rows will be while they are on their way; it is not seen where they come at once. */
export function Skeleton(props: { rows: number }) {
  return (
    <div class="skeleton" role="status" aria-label={texts.loading}>
      {Array.from({ length: props.rows }, (_, i) => (
        <div key={i} />
      ))}
    </div>
  );
}
