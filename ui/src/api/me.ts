// SPDX-License-Identifier: Apache-2.0

// Who is calling.

import { api } from "../place";
import { ask } from "../session";

export type Me = {
  kind: "environment" | "operator";
  organization?: { id: string; name: string };
  environment?: { id: string; slug: string; retention_hours: number };
  scope?: string;
  key_id?: string;
  models: { judge: boolean; embedding: boolean; classifier: boolean };
  version: string;
  /** Where spans are taken, as addresses, where the server knows what applications reach. */
  otlp?: { http?: string; grpc?: string };
};

export const readMe = (environment: string, signal: AbortSignal) => ask<Me>(api + "/me", { environment, signal });
