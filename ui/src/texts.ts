// SPDX-License-Identifier: Apache-2.0

// All texts of the screens.

const plural = (n: number, one: string, many: string) => (n === 1 ? one : many);

export const texts = {
  product: "Touchstone",
  skip: "Skip to the content",
  menu: "Screens",
  page: (screen: string) => `${screen} · Touchstone`,

  noAnswer: "The server does not answer.",
  failed: (status: number) => `The server answered ${status}.`,
  nextTry: (seconds: number) => `Next try in ${seconds} s.`,
  tryAgain: "Try again",
  crashed: "This screen stopped working.",
  noScreen: "There is no such page",
  noScreenHint: "The address may be of another release.",
  loading: "Loading",

  signIn: {
    title: "Sign in",
    key: "API key or access token",
    hint: "A key shows the spans of its environment. The operator's access token shows organizations.",
    submit: "Sign in",
    underWay: "Signing in",
    unknown: "This key is not known",
    add: "Add an environment",
    addHint: "This session keeps the environments that it has. Choose between them at the top.",
    endedTitle: "The session has ended",
    endedHint: "Sign in to go on. What is on the page stays as it is.",
    needed: "A key of this environment is needed",
    neededHint: "The link leads to an environment that this session has no key of.",
  },

  header: {
    environment: "Environment",
    operator: "Operator",
    signOut: "Sign out",
    keys: "Keys",
    zone: { utc: "Times in UTC", local: "Times of this computer" },
    zoneShort: { utc: "UTC", local: "Local" },
    theme: { system: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" },
    upToDate: "Evaluation is up to date",
    behind: (seconds: number) => `Evaluation is ${seconds} s behind`,
  },

  keys: {
    title: "Keys",
    single: "Single keys work",
    close: "Close",
    list: [
      ["?", "this list"],
      ["g n", "environment"],
      ["Esc", "close a dialog"],
    ] as const,
  },

  environment: {
    title: "Environment",
    of: (organization: string, slug: string) => `${organization} / ${slug}`,
    organization: "Organization",
    slug: "Environment",
    id: "Identifier",
    retention: "Spans are kept for",
    hours: (hours: number) =>
      hours % 24 === 0 ? `${hours / 24} ${plural(hours / 24, "day", "days")}` : `${hours} ${plural(hours, "hour", "hours")}`,
    scope: "This key may",
    scopes: { full: "send, read and change", read: "read" } as Readonly<Record<string, string>>,
    keyID: "Key",
    models: "Models that evaluators may ask",
    judge: "judge",
    embedding: "embeddings",
    classifier: "classifier",
    noModels: "none: evaluators that compute here work",
    version: "Version",
    send: "Send spans",
    sendHint: "Any OpenTelemetry SDK sends to this environment with two variables:",
    keyPlaceholder: "<your key>",
    copy: "Copy",
    copied: "Copied",
    copyByHand: "Select and copy it: the browser lets pages copy over TLS only.",
    leave: "Sign out of this environment",
    add: "Add an environment",
  },

  operator: {
    title: "Operator",
    hint: "The access token makes organizations, environments and keys over the API. It sees no spans: sign in with a key of an environment for those.",
  },
} as const;
