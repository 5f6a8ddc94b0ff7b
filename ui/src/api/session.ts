// SPDX-License-Identifier: Apache-2.0

// Sessions of the UI, as the server tells of them.

import { base } from "../place";
import { send } from "./http";

export type Environment = { id: string; slug: string; organization: string; scope: string };

export type Session = {
  token?: string;
  expires_at: string;
  environments: Environment[];
  operator: boolean;
};

const path = base + "/session";

export const signIn = (key: string) => send<Session>(path, { method: "POST", body: { key } });
export const readSession = (signal?: AbortSignal) => send<Session>(path, signal === undefined ? {} : { signal });
export const signOut = () => send<void>(path, { method: "DELETE" });
export const signOutOf = (environment: string) => send<void>(path + "?env=" + encodeURIComponent(environment), { method: "DELETE" });
