// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// units are what one span of the benchmark costs, as it was measured.
type units struct {
	one, oneRate      float64 // microseconds of CPU with DuckDB, and spans a second on the machine of the benchmark
	oneBytes          float64
	collector, engine float64 // microseconds with ClickHouse
	bytes             float64
}

// Where figures are in the measurements.
var (
	oneLine       = regexp.MustCompile(`durable in DuckDB, .*spans per CPU-second \((\d+) µs each\), (\d+) spans/s`)
	diskLine      = regexp.MustCompile(`\| disk \|.*\| (\d+) B per span`)
	collectorLine = regexp.MustCompile(`stored in ClickHouse, .*spans per CPU-second \((\d+) µs each\)`)
	engineLine    = regexp.MustCompile(`of which the engine (\d+) µs`)
)

// unitsOf reads the measurements.
func unitsOf(document string) (u units, err error) {
	one, cluster, found := strings.Cut(document, "\n## ClickHouse\n")
	if !found {
		return u, errors.New(`there is no section "ClickHouse": run make bench ENGINE=clickhouse`)
	}
	for _, x := range []struct {
		text string
		line *regexp.Regexp
		into []*float64
	}{
		{one, oneLine, []*float64{&u.one, &u.oneRate}},
		{one, diskLine, []*float64{&u.oneBytes}},
		{cluster, collectorLine, []*float64{&u.collector}},
		{cluster, engineLine, []*float64{&u.engine}},
		{cluster, diskLine, []*float64{&u.bytes}},
	} {
		figures := x.line.FindStringSubmatch(x.text)
		if figures == nil {
			return u, fmt.Errorf("no line is like %s", x.line)
		}
		for i, into := range x.into {
			if *into, err = strconv.ParseFloat(figures[i+1], 64); err != nil {
				return u, err
			}
		}
	}
	return u, nil
}

// What is assumed: how busy a core may be, so that there is room for queries and for
// hours that are busier, the cores of a machine, and how long spans are kept.
const (
	busy        = 0.6
	coresOfNode = 16
	days        = 30
)

var rates = []float64{1_000, 10_000, 50_000, 100_000, 1_000_000}

// tables returns what was measured and what is worked out of it.
func (u *units) tables() string {
	var b strings.Builder
	fmt.Fprintf(&b, `| a span of 3.4 KB with three local verdicts | measured |
|---|---|
| CPU of one process with DuckDB | %.0f µs; %.0f spans a second on the two cores of the benchmark |
| disk with DuckDB | %.0f B |
| CPU of a gateway over ClickHouse | %.0f µs |
| CPU of ClickHouse, merges included | %.0f µs |
| disk in ClickHouse, one replica | %.0f B |

`, u.one, u.oneRate, u.oneBytes, u.collector, u.engine, u.bytes)
	fmt.Fprintf(&b, "All of this is multiplied, none of it was run: cores that are busy at %.0f %%, servers of %d cores, two replicas, spans kept for %d days.\n\n", 100*busy, coresOfNode, days)
	b.WriteString("| spans a second | one machine | cores of gateways | ClickHouse: cores of one replica | shards × replicas | disk of one replica a day | disk of all replicas |\n|---|---|---|---|---|---|---|\n")
	for _, rate := range rates {
		b.WriteString(u.row(rate))
	}
	return b.String()
}

// row returns what a rate takes.
func (u *units) row(rate float64) string {
	cores := func(each float64) float64 { return math.Ceil(rate * each / 1e6 / busy) }
	one := "no: DuckDB has one writer"
	if rate <= u.oneRate*busy {
		one = fmt.Sprintf("%.0f cores, %s a day", cores(u.one), size(rate*86_400*u.oneBytes))
	}
	engine := cores(u.engine)
	shards := math.Ceil(engine / coresOfNode)
	daily := rate * 86_400 * u.bytes
	return fmt.Sprintf("| %.0f | %s | %.0f | %.0f | %.0f × 2 | %s | %s |\n", rate, one, cores(u.collector), engine, shards, size(daily), size(2*days*daily))
}

// size returns bytes as people read them.
func size(bytes float64) string {
	for _, unit := range []struct {
		of   float64
		name string
	}{{1e15, "PB"}, {1e12, "TB"}} {
		if bytes >= unit.of {
			return fmt.Sprintf("%.1f %s", bytes/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%.0f GB", bytes/1e9)
}

// The table is between these in its document.
const begin, end = "<!-- sizing -->\n", "<!-- end of sizing -->\n"

// placed returns a document with another table.
func placed(document, table string) (string, error) {
	before, rest, found := strings.Cut(document, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", errors.New("it has no place for the table")
	}
	return before + begin + "\n" + table + "\n" + end + after, nil
}
