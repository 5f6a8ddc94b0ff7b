// SPDX-License-Identifier: Apache-2.0

// Organizations, their environments and keys: for the operator.

import { api } from "../place";
import { ask, operator as environment } from "../session";

export type EnvironmentRecord = {
  id: string;
  slug: string;
  retention_hours: number;
  /** Missing where the store does not know it by heart. */
  stored_spans?: number;
  last_used_at?: string;
};

export type Organization = {
  id: string;
  name: string;
  retention_hours: number;
  status: "active" | "deleting" | "deleted";
  created_at: string;
  environments: EnvironmentRecord[];
};

export const scopes = ["full", "ingest", "read", "sidecar"] as const;
export type Scope = (typeof scopes)[number];

export type Key = {
  id: string;
  name: string;
  scope: Scope;
  status: "active" | "expired" | "revoked";
  created_at: string;
  expires_at?: string;
  last_used_at?: string;
  revoked_at?: string;
};

/** A key that is shown once. */
export type Made = { slug: string; api_key: string };

const all = api + "/organizations";
const pathOf = (id: string) => `${all}/${encodeURIComponent(id)}`;
const environmentOf = (id: string, slug: string) => `${pathOf(id)}/environments/${encodeURIComponent(slug)}`;

export const readOrganizations = async (signal: AbortSignal) => (await ask<{ organizations: Organization[] }>(all, { environment, signal })).organizations;
export const readOrganization = (id: string, signal: AbortSignal) => ask<Organization>(pathOf(id), { environment, signal });

export const createOrganization = (name: string, envs: readonly string[], retention: number | string | undefined) =>
  ask<{ org_id: string; environments: Made[] }>(all, { method: "POST", environment, body: { org_name: name, envs: envs.length > 0 ? envs : undefined, retention_hours: retention } });

export const changeOrganization = (id: string, change: { name?: string; retention_hours?: number | string }) =>
  ask<Organization>(pathOf(id), { method: "PATCH", environment, body: change });

export const removeOrganization = (id: string) => ask<Organization>(pathOf(id), { method: "DELETE", environment });

export const createEnvironment = (id: string, slug: string) =>
  ask<Made & { id: string }>(pathOf(id) + "/environments", { method: "POST", environment, body: { slug } });

/** The keys of one environment, and what can be done with them. */
export type KeysOf = {
  id: string;
  read: (signal: AbortSignal) => Promise<Key[]>;
  create: (name: string, scope: Scope) => Promise<Key & { api_key: string }>;
  revoke: (id: string) => Promise<void>;
};

const keysAt = (path: string, environment: string): KeysOf => ({
  id: path + environment,
  read: async (signal) => (await ask<{ keys: Key[] }>(path, { environment, signal })).keys,
  create: (name, scope) => ask<Key & { api_key: string }>(path, { method: "POST", environment, body: { name, scope } }),
  revoke: (id) => ask<void>(`${path}/${encodeURIComponent(id)}`, { method: "DELETE", environment }),
});

/** The keys of an environment, for the operator. */
export const keysOf = (id: string, slug: string) => keysAt(environmentOf(id, slug) + "/keys", environment);

/** The keys of an environment, for the holder of one. */
export const ownKeysOf = (of: string) => keysAt(api + "/keys", of);

/** What a million tokens of a model cost, in US dollars. A text in place of a number goes to the API as it is. */
export type Price = { model: string; input: number; output: number; cache_read?: number; cache_write?: number };

export const readPrices = async (id: string, signal: AbortSignal) => (await ask<{ prices: Price[] }>(pathOf(id) + "/prices", { environment, signal })).prices;
export const setPrices = async (id: string, prices: readonly Price[]) => (await ask<{ prices: Price[] }>(pathOf(id) + "/prices", { method: "PUT", environment, body: { prices } })).prices;
