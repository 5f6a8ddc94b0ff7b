// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"slices"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// eachText visits those texts of a span that applications write freely, each
// with the name of the place where the answer has it: a member, or a member and
// the keys or numbers that lead on from there, with dots between them.
func eachText(s *span.Span, visit func(field string, text *string)) {
	list := func(name string, of span.Attributes) {
		for i := range of {
			visit(name+"."+of[i].Key, &of[i].Value)
		}
	}
	visit("status_message", &s.StatusMessage)
	visit("input", &s.Input)
	visit("output", &s.Output)
	list("resource_attributes", s.Resource)
	list("span_attributes", s.Attributes)
	list("prompts", s.Prompts)
	list("completions", s.Completions)
	for i := range s.Events {
		list("events."+strconv.Itoa(i)+".attributes", s.Events[i].Attributes)
	}
	for i := range s.Links {
		list("links."+strconv.Itoa(i)+".attributes", s.Links[i].Attributes)
	}
}

// textOf returns one text of a span by its name, and whether there is any.
func textOf(s *span.Span, field string) (string, bool) {
	found := ""
	eachText(s, func(name string, text *string) {
		if name == field {
			found = *text
		}
	})
	return found, found != ""
}

// cutText is a text of which an answer has the beginning only.
type cutText struct {
	field string
	bytes int // of the whole text
}

// cutTexts returns a span with the first characters of its texts, and which texts
// were longer.
func cutTexts(s *span.Span, characters int) (*span.Span, []cutText) {
	short := own(s)
	var all []cutText
	eachText(short, func(field string, text *string) {
		if len(*text) <= characters {
			return // characters have a byte at least
		}
		beginning, more := textcut.Characters(*text, characters)
		if more {
			all = append(all, cutText{field, len(*text)})
			*text = beginning
		}
	})
	return short, all
}

// own returns a copy of a span whose texts may be changed.
func own(s *span.Span) *span.Span {
	short := *s
	for _, list := range [...]*span.Attributes{&short.Resource, &short.Attributes, &short.Prompts, &short.Completions} {
		*list = slices.Clone(*list)
	}
	short.Events, short.Links = slices.Clone(s.Events), slices.Clone(s.Links)
	for i := range short.Events {
		short.Events[i].Attributes = slices.Clone(short.Events[i].Attributes)
	}
	for i := range short.Links {
		short.Links[i].Attributes = slices.Clone(short.Links[i].Attributes)
	}
	return &short
}
