// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/htmlpage"
	"github.com/touchstone-otel/touchstone/internal/evaluators/sequences"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

type htmlComparisonInput struct {
	First  string `json:"html1" doc:"A page or a fragment of one." need:"required" span:"output" whole:"true"`
	Second string `json:"html2" doc:"What it is compared with." need:"required" span:"attribute:html2" whole:"true"`
}

type htmlComparisonOutput struct {
	Score float64 `json:"similarity_score" doc:"1 for pages that a reader and a stylesheet cannot tell apart, 0 for pages with nothing in common."`
	eval.Judged
}

// What each likeness counts.
const (
	structureWeight  = 0.4
	attributesWeight = 0.2
	contentWeight    = 0.4
)

var _ = define(eval.Definition[htmlComparisonInput, eval.None, htmlComparisonOutput]{
	Slug: "html-comparison",
	Doc: "Compares two HTML documents by structure (the sequence of opening and closing tags, 40 %), attributes (20 %) and visible words (40 %). " +
		"Comments, scripts, styles and the spelling of white space make no difference. Documents without attributes are compared by structure and words alone. " +
		"Sequences are compared in order up to 20,000 tags or words each, and as multisets above that.",
	Run: func(_ context.Context, in htmlComparisonInput, _ eval.None) (htmlComparisonOutput, error) {
		first, ok := htmlpage.Read(in.First)
		if !ok {
			return htmlComparisonOutput{}, fault.New(fault.Invalid, "input.html1 is nested too deep")
		}
		second, ok := htmlpage.Read(in.Second)
		if !ok {
			return htmlComparisonOutput{}, fault.New(fault.Invalid, "input.html2 is nested too deep")
		}
		return likeness(first, second), nil
	},
	Examples: []eval.Example{
		{About: "one page", Input: `{"html1": "<p class=\"a b\">Hello</p>", "html2": "<P CLASS='b a'>\n  Hello </P><!-- the same -->"}`, Want: `{"similarity_score": 1}`},
		{About: "other words", Input: `{"html1": "<p>one two</p>", "html2": "<p>one three</p>"}`, Want: `{"similarity_score": 0.75}`},
		{About: "other tags", Input: `{"html1": "<p>one</p>", "html2": "<div>one</div>"}`, Want: `{"similarity_score": 0.5}`},
		{About: "nothing and something", Input: `{"html1": "", "html2": "<p>one</p>"}`, Want: `{"similarity_score": 0}`},
	},
})

// likeness weighs how alike two pages are. Attributes that neither has leave
// their weight to the rest, so that they do not make unlike pages alike.
func likeness(a, b *htmlpage.Page) htmlComparisonOutput {
	if a.Empty() != b.Empty() {
		return htmlComparisonOutput{Judged: scored(0, "One of the pages is empty.")}
	}
	structure := sequences.AlikeInOrder(a.Tags, b.Tags)
	content := sequences.AlikeInOrder(a.Words, b.Words)
	if len(a.Attributes) == 0 && len(b.Attributes) == 0 {
		score := (structureWeight*structure + contentWeight*content) / (structureWeight + contentWeight)
		return htmlComparisonOutput{score, because(score, "The similarity is %.2f of structure and %.2f of words.", structure, content)}
	}
	attributes := sequences.Jaccard(a.Attributes, b.Attributes)
	score := structureWeight*structure + attributesWeight*attributes + contentWeight*content
	if structure == 1 && content == 1 && attributes == 1 {
		score = 1
	}
	return htmlComparisonOutput{score, because(score, "The similarity is %.2f of structure, %.2f of attributes and %.2f of words.", structure, attributes, content)}
}
