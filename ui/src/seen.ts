// SPDX-License-Identifier: Apache-2.0

/** Resolves when the page can be seen, or when it is no longer wanted. */
export function seen(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((done) => {
    document.addEventListener("visibilitychange", () => done(), { once: true, signal });
    signal.addEventListener("abort", () => done());
  });
}
