// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"fmt"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
)

// maxOpinions bounds those that an answer has.
const maxOpinions = 200

// ExplainedOpinion is a verdict of another source.
type ExplainedOpinion struct {
	Source   eval.EvaluationSource `json:"source" doc:"Who: sdk or human." enum:"sdk,human"`
	Name     string                `json:"name" doc:"The criterion."`
	By       string                `json:"by,omitempty" doc:"The identifier or the author."`
	Status   eval.Status           `json:"status" doc:"How it ended." enum:"done,failed"`
	Sentence string                `json:"sentence" doc:"For people."`
}

// opinions are what others said of the span.
func (c *explanation) opinions() []ExplainedOpinion {
	list := []ExplainedOpinion{}
	for i := range c.records {
		e := &c.records[i]
		o, is := opinion.Of(e)
		if !is || len(list) == maxOpinions {
			continue
		}
		by := "the application or another product, with telemetry"
		if o.Source == eval.FromHuman {
			by = "a person"
		}
		at := rest.Time(time.Unix(0, e.Time))
		sentence := fmt.Sprintf("given at %s by %s: no setup asked for it", at, by)
		if e.Status == eval.Failed {
			sentence = fmt.Sprintf("failed at %s where %s tried to judge: no setup asked for it", at, by)
		}
		list = append(list, ExplainedOpinion{Source: o.Source, Name: o.Name, By: o.By, Status: e.Status, Sentence: sentence})
	}
	return list
}
