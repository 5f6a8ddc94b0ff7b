// SPDX-License-Identifier: Apache-2.0

// Package label reads and writes the names of partitions, which say for how long
// their spans are kept and when they came.
package label

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Label is what the name of a partition's file says: 0720h-20251121T000000Z-000017.
type Label struct {
	Class  time.Duration // the longest retention it is for
	Opened time.Time     // start of the period of arrival
	Serial int64         // counts all partitions of the store
}

const (
	labelTime = "20060102T150405Z"
	File      = ".duckdb"
)

// String returns the label as the name of its file has it.
func (l Label) String() string {
	return fmt.Sprintf("%04dh-%s-%06d", int64(l.Class/time.Hour), l.Opened.UTC().Format(labelTime), l.Serial)
}

// Alias returns the partition's name in SQL.
func (l Label) Alias() string { return "p" + strconv.FormatInt(l.Serial, 10) }

// Until returns when the period of arrival ends.
func (l Label) Until() time.Time { return l.Opened.Add(PeriodOf(l.Class)) }

// Parse returns the label that a file's name says, and whether it says one. A name
// that String would write in another way says none: the file of its label would be
// another one.
func Parse(name string) (Label, bool) {
	class, rest, ok1 := strings.Cut(name, "h-")
	at, serial, ok2 := strings.Cut(rest, "-")
	hours, err1 := strconv.ParseInt(class, 10, 32)
	opened, err2 := time.Parse(labelTime, at)
	number, err3 := strconv.ParseInt(serial, 10, 64)
	if !ok1 || !ok2 || err1 != nil || err2 != nil || err3 != nil || hours <= 0 || hours > longestClass || number <= 0 {
		return Label{}, false
	}
	l := Label{Class: time.Duration(hours) * time.Hour, Opened: opened, Serial: number}
	return l, l.String() == name
}

// Classes of retention: environments of one class share partitions, so that
// short-lived spans do not keep their space until long-lived ones end.
const (
	DayClass   = 24 * time.Hour
	WeekClass  = 7 * 24 * time.Hour
	MonthClass = 30 * 24 * time.Hour

	longestClass = 9999 // hours: what a label has room for
)

// ClassOf returns the shortest class that is at least a retention long; one without
// end has the longest that a label has room for.
func ClassOf(retention time.Duration) time.Duration {
	switch {
	case retention <= DayClass:
		return DayClass
	case retention <= WeekClass:
		return WeekClass
	case retention <= MonthClass:
		return MonthClass
	}
	const longest = longestClass * time.Hour / MonthClass * MonthClass
	return min((retention+MonthClass-1)/MonthClass*MonthClass, longest)
}

// PeriodOf returns how long a partition of a class takes in spans: about a
// thirtieth of the retention, which is what is kept too long at worst.
func PeriodOf(class time.Duration) time.Duration {
	switch {
	case class <= DayClass:
		return time.Hour
	case class <= WeekClass:
		return 6 * time.Hour
	}
	return 24 * time.Hour
}
