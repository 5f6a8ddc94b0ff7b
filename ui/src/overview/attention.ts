// SPDX-License-Identifier: Apache-2.0

// What needs attention: sentences that are computed from figures of a period.

import { type Figures, type Group, ofMetrics } from "../api/figures";
import type { MonitoringStatus } from "../api/monitoring";
import type { Filter } from "../api/spans";
import { failedFilter, filtersParam, valueFilter } from "../filter/filter";
import { type Period, periodParams } from "../period/period";
import { zone } from "../shell/settings";
import { count, dollars, duration, minuteOf, nanoseconds, percent } from "../text/format";
import { beginning } from "../text/visible";
import { texts } from "../texts";
import { link } from "../url";
import type { Silent } from "../verdicts/why";
import { judged, type Overview, outputs } from "./read";

const t = texts.overview.notices;

/** A sentence with the screen that shows more of it. */
export type Notice = { text: string; href: string };

/** How many notices are shown. */
export const most = 5;

const few = 30; // spans that are too few to compare
const surely = 4.5; // standard errors: a step of some hundred that are tried passes by chance in one of a thousand periods
const risen = 0.03; // share by which more fail
const slower = 1.5; // times the duration of the period before
const slowerBy = 200e6; // nanoseconds
const dearer = 1.5; // times the cost of the period before
const dearerBy = 1; // dollars
const missed = 20; // spans that a silent service would have sent
const behindFrom = 180; // seconds
const failedFrom = 0.05; // share of evaluations
const lateFrom = 60; // seconds from the end of a step to that of its last evaluation
const lateTo = 3600; // seconds from which on old spans were evaluated, and nothing was late

/** Of all spans of each step those that count. */
type Counts = { all: readonly (number | null)[]; hits: readonly (number | null)[] };

/** A step from which on a larger share counts than before it. */
export type Rise = { at: number; before: number; after: number; score: number };

const sumOf = (values: readonly (number | null)[]) => values.reduce<number>((sum, v) => sum + (v ?? 0), 0);

/** The step that parts a period best into a lower share and a higher one; undefined where chance explains the difference. */
export function riseOf({ all, hits }: Counts): Rise | undefined {
  const [whole, wholeHits] = [sumOf(all), sumOf(hits)];
  const share = wholeHits / whole;
  let best: Rise | undefined;
  let [n, x] = [0, 0];
  for (let at = 1; at < all.length; at++) {
    n += all[at - 1] ?? 0;
    x += hits[at - 1] ?? 0;
    const rest = whole - n;
    if (n < few || rest < few) continue;
    const [before, after] = [x / n, (wholeHits - x) / rest];
    const score = (after - before) / Math.sqrt(share * (1 - share) * (1 / n + 1 / rest));
    if (after - before >= risen && score >= Math.max(surely, best?.score ?? 0)) best = { at, before, after, score };
  }
  return best;
}

const countsOf = (g: Group, hits: "errors" | "against"): Counts => ({ all: g.series?.count ?? [], hits: g.series?.[hits] ?? [] });

/** The condition of the spans of a service. */
const ofService = (service: string) => valueFilter("service_name", service);
const nameOf = (service: string) => (service === "" ? t.noService : beginning(service, 60));

const byScore = (a: Rise, b: Rise) => b.score - a.score;

/** The groups of which a larger share fails from some step on, the surest first. */
const risesOf = (of: Figures) =>
  of.groups
    .flatMap((g) => {
      const rise = riseOf(countsOf(g, "against"));
      return rise === undefined ? [] : [{ ...rise, keys: g.keys }];
    })
    .sort(byScore);

type Worse = Rise & { service: string; evaluator: string; output: string };

/** The outputs that fail more from some step on, of spans of a service or of all. */
const worseOf = (of: Figures, service: string): Worse[] => risesOf(of).map(({ keys: [evaluator = "", output = ""], ...rise }) => ({ ...rise, service, evaluator, output }));

/** The results that fail more often from some step on, each with the service of which that is most so. */
async function worse(environment: string, o: Overview, signal: AbortSignal): Promise<Worse[]> {
  const within = { from: o.from, to: o.to, step: o.step };
  const ofServices = await Promise.all(
    risesOf(o.judged).slice(0, most).map(async ({ keys: [service = ""] }) => worseOf(await ofMetrics(environment, { ...outputs, ...within, filters: [ofService(service)] }, signal), service)[0]),
  );
  const found = ofServices.filter((w) => w !== undefined);
  const others = worseOf(o.outputs, "").filter((w) => !found.some((f) => f.evaluator === w.evaluator && f.output === w.output));
  const named = await Promise.all(
    others.slice(0, most).map(async (w) => {
      const services = await ofMetrics(environment, { ...within, by: ["service_name"], measures: ["count", "against"], top: 20, evaluator: w.evaluator, output: w.output }, signal);
      const [first] = risesOf(services);
      return first === undefined ? w : { ...w, at: first.at, before: first.before, after: first.after, score: first.score, service: first.keys[0] ?? "" };
    }),
  );
  return [...found, ...named].sort(byScore);
}

/** How many steps at the end of a period a service has sent nothing in, if it would have been seen otherwise. */
export function silenceOf(counts: readonly (number | null)[]): number {
  let quiet = 0;
  while (quiet < counts.length && (counts[counts.length - 1 - quiet] ?? 0) === 0) quiet++;
  const usual = sumOf(counts) / (counts.length - quiet);
  return quiet >= 2 && usual * (quiet - 1) >= missed ? quiet : 0;
}

/** A time whose spans were evaluated late, and by how many seconds at most. */
export type Delay = { from: number; to: number; by: number };

/** The times whose spans a model evaluated late: its server was down, or slower than the traffic. */
export function delaysOf(times: readonly number[], step: number, ends: readonly (number | null)[]): Delay[] {
  const list: Delay[] = [];
  for (const [i, from] of times.entries()) {
    const to = from + step;
    const by = Math.round((ends[i] ?? 0) / 1e9) - to;
    if (by < lateFrom || by > lateTo) continue;
    const last = list.at(-1);
    if (last?.to === from) list[list.length - 1] = { from: last.from, to, by: Math.max(last.by, by) };
    else list.push({ from, to, by });
  }
  return list;
}

/** Evaluators that run here do not wait for a server. */
const isRemote = (backend: string) => backend !== "deterministic" && backend !== "embedded";

/** The sentences of a period, those first that say most; no more than are shown. */
export async function noticesOf(environment: string, period: Period, o: Overview, of: { monitors: number; silent: readonly Silent[]; status: MonitoringStatus }, signal: AbortSignal): Promise<Notice[]> {
  const within = periodParams(period);
  const time = (at: number) => minuteOf((o.spans.times[at] ?? 0) * 1000, zone.value, Date.now());
  const spans = (filters: readonly Filter[]) => link(["spans"], { ...within, filters: filtersParam(filters) });
  const spansBetween = ({ from, to }: Delay) => link(["spans"], { from: String(from), to: String(to), filters: filtersParam([judged]) });
  const list: Notice[] = [];

  for (const w of await worse(environment, o, signal)) {
    const what = `${beginning(w.evaluator, 60)} ${beginning(w.output, 60)}`;
    list.push({
      text: t.worse(w.service === "" ? "" : nameOf(w.service), what, percent(w.after), time(w.at), percent(w.before)),
      href: link(["verdicts"], { ...within, m: `${w.evaluator}.${w.output}`, ...(w.service === "" ? {} : { filters: filtersParam([ofService(w.service)]) }) }),
    });
  }
  for (const g of o.services.groups) {
    const service = g.keys[0] ?? "";
    const rise = riseOf(countsOf(g, "errors"));
    if (rise !== undefined) {
      list.push({
        text: t.errors(nameOf(service), percent(rise.after), time(rise.at), percent(rise.before)),
        href: spans([ofService(service), failedFilter]),
      });
    }
    const quiet = period === "15m" || typeof period === "object" ? 0 : silenceOf(g.series?.count ?? []);
    if (quiet > 0) list.push({ text: t.silent(nameOf(service), time(o.spans.times.length - quiet)), href: spans([ofService(service)]) });
  }
  if (of.status.lag_in_seconds >= behindFrom) list.push({ text: t.behind(duration(of.status.lag_in_seconds * 1000), count(of.status.lag_in_spans)), href: link(["health"]) });
  for (const g of o.ends.groups.filter((g) => isRemote(g.keys[0] ?? ""))) {
    const delays = delaysOf(o.ends.times, o.ends.step_sec, g.series?.last_ns ?? []);
    const last = delays.at(-1);
    if (last === undefined) continue;
    const clock = (at: number) => minuteOf(at * 1000, zone.value, Date.now());
    list.push({ text: t.late(beginning(g.keys[0] ?? "", 40), clock(last.from), clock(last.to), duration(last.by * 1000), delays.length - 1), href: spansBetween(last) });
  }
  const became = (status: string) => o.evaluations.groups.find((g) => g.keys[0] === status)?.total.count ?? 0;
  const failed = became("failed") / Math.max(1, became("failed") + became("done"));
  if (became("failed") >= few && failed >= failedFrom) list.push({ text: t.failed(percent(failed)), href: link(["monitors"]) });
  if (of.monitors === 0) list.push({ text: t.noMonitor, href: link(["monitors"]) });
  if (of.silent.length > 0) list.push({ text: t.monitors(of.silent.slice(0, 3).map((s) => beginning(s.setup.external_id, 60)), of.silent.length), href: link(["monitors"]) });
  for (const g of o.services.groups) {
    const was = o.before.groups.find((b) => b.keys[0] === g.keys[0])?.total;
    const [now, then] = [g.total.duration_p95 ?? 0, was?.duration_p95 ?? 0];
    if (Math.min(g.total.count ?? 0, was?.count ?? 0) < 2 * few || now < slower * then || now - then < slowerBy) continue;
    list.push({ text: t.slow(nameOf(g.keys[0] ?? ""), nanoseconds(now), nanoseconds(then)), href: link(["spans"], { ...within, filters: filtersParam([ofService(g.keys[0] ?? "")]), sort: "duration" }) });
  }
  const [cost, costBefore] = [o.spans.total.cost ?? 0, o.before.total.cost ?? 0];
  const comparable = (o.before.total.count ?? 0) >= (o.spans.total.count ?? 0) / 4;
  if (comparable && cost >= dearer * costBefore && cost - costBefore >= dearerBy) list.push({ text: t.dear(dollars(cost), dollars(costBefore)), href: link(["spans"], within) });
  return list.slice(0, most);
}
