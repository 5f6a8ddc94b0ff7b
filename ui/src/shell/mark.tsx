// SPDX-License-Identifier: Apache-2.0

import { texts } from "../texts";

/** The mark and the name of the product. */
export function Mark() {
  return (
    <>
      <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
        <rect width="32" height="32" rx="7" />
        <path d="M8 22 20 8M15 24 24 13.5" />
      </svg>
      <span>{texts.product}</span>
    </>
  );
}
