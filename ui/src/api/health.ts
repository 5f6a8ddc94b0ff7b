// SPDX-License-Identifier: Apache-2.0

// How the process is.

import { api } from "../place";

export type Health = { status: string; problems?: { name: string; message: string }[] };

/** Asked without a credential; undefined where a proxy keeps the answer to itself. */
export async function readHealth(signal: AbortSignal): Promise<Health | undefined> {
  const path = api.replace(/\/v2$/, "") + "/health";
  try {
    const answer = await fetch(path, { signal, credentials: "omit", cache: "no-store" });
    return (await answer.json()) as Health;
  } catch (e) {
    if (signal.aborted) throw e;
    return undefined;
  }
}
