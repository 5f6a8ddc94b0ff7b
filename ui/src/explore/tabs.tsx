// SPDX-License-Identifier: Apache-2.0

import type { Filter } from "../api/spans";
import { filtersParam } from "../filter/filter";
import { type Period, periodParams } from "../period/period";
import { Link } from "../shell/link";
import { texts } from "../texts";
import { link, place } from "../url";
import "./explore.css";

const t = texts.explore;

/** The lists of one screen: they share period and filters. */
const lists = ["conversations", "traces", "spans"] as const;

/** Leads to the other lists of the same period and filters. */
export function Tabs(props: { period: Period; filters: readonly Filter[] }) {
  const params = { ...periodParams(props.period), filters: filtersParam(props.filters) };
  return (
    <nav class="choice" aria-label={t.title}>
      {lists.map((list) => (
        <Link key={list} href={link([list], params)} class="button" current={place.value.path[0] === list}>
          {t.lists[list]}
        </Link>
      ))}
    </nav>
  );
}
