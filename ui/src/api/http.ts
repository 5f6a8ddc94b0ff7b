// SPDX-License-Identifier: Apache-2.0

// Requests to the API and to the sessions of the UI.

import { kept } from "../storage";
import { texts } from "../texts";

/** Why a request did not succeed. */
export class Refusal extends Error {
  constructor(
    /** HTTP status, 0 where no answer came. */
    readonly status: number,
    message: string,
    /** Seconds to wait before the next try, where the server said so. */
    readonly retryAfter: number | undefined = undefined,
    /** How the server's log calls the request, "" where it did not say. */
    readonly request = "",
  ) {
    super(message);
  }

  /** Whether the same request may succeed by itself later. */
  get passes(): boolean {
    return this.status === 0 || this.status === 503;
  }
}

export type Ask = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  body?: unknown;
  /** The environment whose key is meant. */
  environment?: string;
  signal?: AbortSignal;
  /** Whether the answer is a text and no JSON. */
  plain?: boolean;
  /** Hears each part of an answer that is a file, which is answered as a Blob. */
  onPart?: (part: Uint8Array) => void;
  /** The version that must still be there for the request to change it. */
  ifMatch?: string | undefined;
  /** Hears the headers of the answer. */
  onHeaders?: (headers: Headers) => void;
};

/** Sends one request and returns the body of its answer, undefined where it has none. */
export async function send<T>(path: string, ask: Ask = {}): Promise<T> {
  const headers: Record<string, string> = {};
  if (kept("token").value !== "") headers["X-Touchstone-Page"] = kept("token").value;
  if (ask.ifMatch !== undefined && ask.ifMatch !== "") headers["If-Match"] = ask.ifMatch;
  if (ask.environment !== undefined) headers["X-Touchstone-Environment"] = ask.environment;
  const init: RequestInit = { method: ask.method ?? "GET", headers, credentials: "same-origin", redirect: "error", cache: "no-store" };
  if (ask.signal !== undefined) init.signal = ask.signal;
  if (ask.body !== undefined) {
    headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(ask.body);
  }
  let answer: Response;
  try {
    answer = await fetch(path, init);
  } catch (e) {
    if (ask.signal?.aborted) throw e;
    throw new Refusal(0, texts.noAnswer);
  }
  if (!answer.ok) throw await refusalOf(answer);
  ask.onHeaders?.(answer.headers);
  if (answer.status === 204) return undefined as T;
  if (ask.onPart !== undefined) return (await fileOf(answer, ask.onPart, ask.signal)) as T;
  return (ask.plain ? await answer.text() : await answer.json()) as T;
}

/** Reads the file of an answer part by part. */
async function fileOf(answer: Response, onPart: (part: Uint8Array) => void, signal: AbortSignal | undefined): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = answer.body?.getReader();
  try {
    for (let got = await reader?.read(); got?.value !== undefined; got = await reader?.read()) {
      onPart(got.value);
      parts.push(got.value);
    }
  } catch (e) {
    if (signal?.aborted) throw e;
    throw new Refusal(0, texts.cutOff);
  }
  return new Blob(parts, { type: answer.headers.get("Content-Type") ?? "" });
}

async function refusalOf(answer: Response): Promise<Refusal> {
  let message = texts.failed(answer.status);
  try {
    const body: unknown = await answer.json();
    if (typeof body === "object" && body !== null && "error" in body && typeof body.error === "string") message = body.error;
  } catch {
    // Not an answer of ours: the status says it.
  }
  const after = Number(answer.headers.get("Retry-After") ?? NaN);
  return new Refusal(answer.status, message, Number.isFinite(after) && after >= 0 ? after : undefined, answer.headers.get("X-Request-Id") ?? "");
}
