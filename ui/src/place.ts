// SPDX-License-Identifier: Apache-2.0

// Where this page is served, as the server wrote it into the page.

const root = document.documentElement.dataset;

/** The path of the UI, without a slash at the end. */
export const base = root.base ?? "/ui";

/** The path of the API, without a slash at the end. */
export const api = root.api ?? "/v2";
