// SPDX-License-Identifier: Apache-2.0

// The session of this browser: who is signed in, which environment is chosen,
// and what happens when it ends while a page is open.

import { computed, effect, signal } from "@preact/signals";
import { type Ask, Refusal, send } from "./api/http";
import * as server from "./api/session";
import { keep, kept } from "./storage";
import { place } from "./url";

/** Stands for the environment that an access token does not have. */
export const operator = "operator";

export type Known =
  | { kind: "loading" }
  | { kind: "away"; retryIn: number }
  | { kind: "out" }
  | { kind: "in"; session: server.Session };

/** The key of an environment that was created on this page and is shown until the page is left. */
export const madeKey = signal<{ environment: string; key: string } | undefined>(undefined);

export const known = signal<Known>({ kind: "loading" });

/** Whether the session ended while something was shown; the page stays, below a dialog. */
export const ended = signal(false);

const session = computed(() => (known.value.kind === "in" ? known.value.session : undefined));

/** What may be chosen: ids of environments, and the operator. */
export const choices = computed<string[]>(() => {
  const s = session.value;
  if (s === undefined) return [];
  return [...s.environments.map((e) => e.id), ...(s.operator ? [operator] : [])];
});

/** The environment that the URL names, else the one chosen last, else the first. */
export const chosen = computed<string>(() => {
  const named = place.value.params.env;
  if (named !== undefined && named !== "") return named;
  const last = kept("environment").value;
  return choices.value.includes(last) ? last : (choices.value[0] ?? "");
});

/** Whether the session has a key of what is chosen. */
export const held = computed(() => choices.value.includes(chosen.value));

export function environment(id: string): server.Environment | undefined {
  return session.value?.environments.find((e) => e.id === id);
}

/** Whether the key of what is chosen may make and change things, not only read. */
export const mayChange = computed(() => environment(chosen.value)?.scope !== "read");

const longestWait = 15; // seconds

/** Learns who is signed in; tries again by itself while the server is away. */
export async function load(): Promise<void> {
  for (let wait = 1; ; wait = Math.min(2 * wait, longestWait)) {
    if (kept("token").value === "") {
      known.value = { kind: "out" };
      return;
    }
    try {
      known.value = { kind: "in", session: await server.readSession() };
      return;
    } catch (e) {
      if (!(e instanceof Refusal) || !e.passes) {
        known.value = { kind: "out" };
        keep("token", "");
        return;
      }
      await countdown(e.retryAfter ?? wait, (left) => {
        known.value = { kind: "away", retryIn: left };
      });
    }
  }
}

/** Waits, telling each second how many are left. */
export async function countdown(seconds: number, tell: (left: number) => void): Promise<void> {
  for (let left = Math.ceil(seconds); left > 0; left--) {
    tell(left);
    await new Promise((done) => setTimeout(done, 1000));
  }
}

/** Signs in with one more key and returns what it is a key of. */
export async function signIn(key: string): Promise<string> {
  const before = choices.value;
  const made = await server.signIn(key);
  known.value = { kind: "in", session: made };
  ended.value = false;
  if (made.token !== undefined) keep("token", made.token);
  const added = choices.value.find((id) => !before.includes(id));
  return added ?? (choices.value.includes(chosen.value) ? chosen.value : (choices.value[0] ?? ""));
}

/** Ends the session, in all tabs. */
export async function signOut(): Promise<void> {
  try {
    await server.signOut();
  } catch (e) {
    if (!(e instanceof Refusal) || e.status !== 401) throw e; // 401: it had ended
  }
  known.value = { kind: "out" };
  keep("token", "");
  keep("environment", "");
}

export function choose(id: string) {
  keep("environment", id);
}

// What another tab does with the session holds here, too.
effect(() => {
  const token = kept("token").value;
  if (token === "" && known.peek().kind === "in") ended.value = true;
  else if (token !== "" && (ended.peek() || known.peek().kind === "out")) void rejoin();
});

async function rejoin() {
  try {
    known.value = { kind: "in", session: await server.readSession() };
    ended.value = false;
  } catch {
    // It is asked for a key already.
  }
}

/** Resolves when the user has signed in again. */
function renewed(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done, left) => {
    const stop = ended.subscribe((is) => {
      if (!is) queueMicrotask(() => (stop(), done()));
    });
    signal?.addEventListener("abort", () => (stop(), left(signal.reason)));
  });
}

/**
 * Sends a request of a screen. When the session has ended a dialog asks for a
 * key, and the request is sent again after it: nothing that was typed is lost.
 */
export async function ask<T>(path: string, what: Ask): Promise<T> {
  for (let again = false; ; again = true) {
    try {
      return await send<T>(path, what);
    } catch (e) {
      if (!(e instanceof Refusal) || e.status !== 401) throw e;
      if (!(await stillIn(what.environment)) || again) {
        ended.value = true;
        await renewed(what.signal);
      }
    }
  }
}

/** Whether the session still has a key of an environment, as the server sees it. */
async function stillIn(id: string | undefined): Promise<boolean> {
  try {
    const now = await server.readSession();
    if (known.value.kind === "in" && JSON.stringify(known.value.session) !== JSON.stringify(now)) known.value = { kind: "in", session: now };
    return id === undefined || (id === operator ? now.operator : now.environments.some((e) => e.id === id));
  } catch (e) {
    if (e instanceof Refusal && e.status === 401) return false;
    throw e;
  }
}
