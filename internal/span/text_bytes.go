// SPDX-License-Identifier: Apache-2.0

package span

// TextBytes is how many bytes of text a span has: what it takes in memory, about, and
// in an answer.
func (s *Span) TextBytes() int {
	n := len(s.Input) + len(s.Output)
	for _, list := range []Attributes{s.Resource, s.Attributes, s.Prompts, s.Completions} {
		n += list.textBytes()
	}
	for i := range s.Events {
		n += len(s.Events[i].Name) + s.Events[i].Attributes.textBytes()
	}
	for i := range s.Links {
		n += s.Links[i].Attributes.textBytes()
	}
	return n
}

func (a Attributes) textBytes() (n int) {
	for i := range a {
		n += len(a[i].Key) + len(a[i].Value)
	}
	return n
}
