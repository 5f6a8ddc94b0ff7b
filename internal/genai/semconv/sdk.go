// SPDX-License-Identifier: Apache-2.0

package semconv

import (
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// sdk is the convention of one SDK: what its attributes are read for.
type sdk struct {
	Convention
	// with are attributes of which a span has one at least when it is this SDK's. Where
	// there are none, the keys tell it.
	with []string
	keys []key
	// kinds are types of spans by what the SDK's own attribute says.
	kinds map[string]string
	// marks are types of spans by the attributes that only these have.
	marks map[string]string
	// words are types of spans by what stands in the values of the SDK's attributes of
	// their kind, the most telling first: for SDKs that send names of classes.
	words []word
}

type word struct{ in, spanType string }

// key is an attribute and the lists of sources that it stands in.
type key struct {
	name  string
	lists []*[]Attribute
}

// reads makes a key.
func reads(name string, lists ...*[]Attribute) key { return key{name, lists} }

// The lists of sources that are fields of spans.
var (
	vendor        = &sources[span.PromotedVendor]
	requestModel  = &sources[span.PromotedRequestModel]
	responseModel = &sources[span.PromotedResponseModel]
	inputTokens   = &sources[span.PromotedInputTokens]
	outputTokens  = &sources[span.PromotedOutputTokens]
	entity        = &sources[span.PromotedEntity]
	conversation  = &sources[span.PromotedConversation]
	session       = &sources[span.PromotedSession]
	user          = &sources[span.PromotedUser]
	input         = &sources[span.PromotedInput]
	output        = &sources[span.PromotedOutput]
	prompts       = &PromptSources
	completions   = &CompletionSources
	dialogue      = &DialogueSources
	documents     = &DocumentSources
	tools         = &ToolDefinitionSources
	cacheRead     = &CacheTokenSources
	cacheWrite    = &CacheWriteTokenSources
	reasoning     = &ReasoningTokenSources
	usage         = &UsageSources
	cost          = &CostSources
	inputCost     = &InputCostSources
	calls         = &CallSources
	workflow      = &sources[span.PromotedWorkflow]
	kind          = &KindSources
	content       = &OtherContent
)

type row struct {
	key string
	sdk *sdk
}

// table is what package-level names of attributes and the SDKs make together.
var table = func() (t struct {
	rows   []row
	byName map[string]Attribute
	kinds  map[string]string
	marks  map[Attribute]string
},
) {
	t.byName, t.kinds, t.marks = make(map[string]Attribute, 2*Count), map[string]string{}, map[Attribute]string{}
	for a, name := range names {
		t.byName[name] = Attribute(a)
	}
	for i := range sdks {
		s := &sdks[i]
		for _, k := range s.keys {
			a, known := t.byName[k.name]
			if !known {
				a = Count + Attribute(len(t.rows))
				t.rows = append(t.rows, row{k.name, s})
				t.byName[k.name] = a
			}
			for _, list := range k.lists {
				if !slices.Contains(*list, a) {
					*list = append(*list, a)
				}
			}
		}
		for name, of := range s.kinds {
			t.kinds[name] = of
		}
		for name, of := range s.marks {
			t.marks[t.byName[name]] = of
		}
	}
	return t
}()

// With returns attributes of which a span has one at least if this one of it is what the
// table says; none where its key tells that.
func (a Attribute) With() []string {
	if a < Count {
		return nil
	}
	return table.rows[a-Count].sdk.with
}

// TypeOf returns the type of a span by what a, one of KindSources, says, "" where that is
// unknown.
func (a Attribute) TypeOf(said string) string {
	said = strings.ToLower(strings.Trim(said, `"`))
	if known := table.kinds[said]; known != "" || a < Count {
		return known
	}
	for _, w := range table.rows[a-Count].sdk.words {
		if strings.Contains(said, w.in) {
			return w.spanType
		}
	}
	return ""
}

// Marks returns the type of the spans that have the attribute, "" where that tells
// nothing.
func (a Attribute) Marks() string { return table.marks[a] }

var contents = func() map[Attribute]bool {
	_ = table // which fills the lists
	m := map[Attribute]bool{
		GenAIInstructions: true, GenAIInputMessages: true, GenAIOutputMessages: true, GenAIPrompt: true,
		MappedPrompts: true, MappedCompletions: true, MappedMessages: true,
		VercelPromptMessages: true, VercelPrompt: true, VercelResponseText: true, VercelResponseObject: true, VercelResponseToolCalls: true,
	}
	for _, list := range []*[]Attribute{input, output, prompts, completions, dialogue, calls, documents, tools, content} {
		for _, a := range *list {
			m[a] = true
		}
	}
	return m
}()

// IsContent reports whether the attribute may hold what people and models said.
func (a Attribute) IsContent() bool { return contents[a] }
