// SPDX-License-Identifier: Apache-2.0

const schemes = ["http:", "https:", "mailto:"];

/** Where a link of a message leads and what it says of that, or undefined for one that no one should follow. */
export function target(address: string): { href: string; host: string } | undefined {
  let url: URL;
  try {
    url = new URL(address); // without a base: a relative one would lead into this UI
  } catch {
    return undefined;
  }
  if (!schemes.includes(url.protocol) || url.username !== "" || url.password !== "") return undefined;
  return { href: url.href, host: url.protocol === "mailto:" ? url.pathname : url.host };
}
