// SPDX-License-Identifier: Apache-2.0

// Spans in groups: traces, and conversations by what names them.

import { api } from "../place";
import { ask } from "../session";
import type { Filter } from "./spans";

/** What names a conversation, and so says which spans are of it. */
export const conversationKeys = ["session_id", "conversation_id", "user_id"] as const;
export type ConversationKey = (typeof conversationKeys)[number];
export type GroupKey = "trace_id" | ConversationKey;

/** What was said in a span. */
export type Said = { trace_id: string; span_id: string; start_ns: string; text: string };

/** Figures of all spans of a group, of which one at least matches. */
export type SpanGroup = {
  key: string;
  start_ns: string;
  end_ns: string;
  duration_ns: string;
  latest_ns: string;
  spans: number;
  errors: number;
  /** Calls of models. */
  calls: number;
  total_tokens: number;
  cost: number;
  /** Results that fail. */
  failing: number;
  models: string[];
  first?: Said;
  last?: Said;
};

export type GroupQuery = { from: number; to: number | undefined; filters: readonly Filter[]; by: GroupKey };

const pageSize = 50;
const preview = 300; // characters of what was said

/** Reads a page of groups, those of the latest spans first; cursor is "" for the first. */
export const readGroups = (environment: string, q: GroupQuery, cursor: string, signal: AbortSignal) =>
  ask<{ rows: SpanGroup[]; next_cursor: string }>(`${api}/warehouse/spans/group`, {
    method: "POST",
    environment,
    signal,
    body: {
      from_timestamp_sec: q.from, ...(q.to === undefined ? {} : { to_timestamp_sec: q.to }), filters: q.filters, group_by: q.by, limit: pageSize, preview,
      ...(cursor === "" ? {} : { cursor }),
    },
  });
