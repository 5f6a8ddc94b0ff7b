// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// agreementInput has the parameters of an operation.
type agreementInput struct {
	A                string   `query:"a" doc:"Whose verdicts: <slug>.<output> of ours, or <source>:<name>.<output>, as in human:correct.value." schema:"required"`
	ABy              string   `query:"a_by" doc:"Those of one setup (its external_id or id), or of one giver (the author or identifier). Absent: the latest on each span."`
	AMin             float64  `query:"a_min" doc:"The number from which on a value counts as true; below, as false."`
	ATrue            string   `query:"a_true" doc:"Values, parted by commas, that count as true; others as false."`
	B                string   `query:"b" doc:"Whose verdicts: <slug>.<output> of ours, or <source>:<name>.<output>, as in human:correct.value." schema:"required"`
	BBy              string   `query:"b_by" doc:"Those of one setup (its external_id or id), or of one giver (the author or identifier). Absent: the latest on each span."`
	BMin             float64  `query:"b_min" doc:"The number from which on a value counts as true; below, as false."`
	BTrue            string   `query:"b_true" doc:"Values, parted by commas, that count as true; others as false."`
	FromTimestampSec int64    `query:"from_timestamp_sec" doc:"Start of the spans, Unix seconds. Absent: since the retention."`
	ToTimestampSec   int64    `query:"to_timestamp_sec" doc:"End, Unix seconds. Absent: now."`
	GroupBy          []string `query:"group_by" doc:"A field of the spans that parts them, as prompt_version, llm.response.model, service_name or an attribute; given twice, both together. Absent: version and model of what judged." schema:"maxItems=2" items:"schema:\"minLength=1 maxLength=4096\""`
	Limit            int64    `query:"limit" doc:"How many spans that differ are shown; default 50." schema:"minimum=0 maximum=1000"`
}

// GetAgreement is the operation agreement.
var GetAgreement = rest.Operation[agreementInput, Agreement]{
	Method: http.MethodGet, Path: "/v2/agreement", Scope: rest.ForEnvironment,
	Tag: "Metrics", ID: "agreement", Summary: "How far two givers of verdicts agree",
	Doc:      "On the spans that both judged: the confusion of their categories, the share on which they agree, and Cohen's kappa with its 95 % interval by the large-sample variance of Fleiss, Cohen and Everitt; in all and by version and model of what judged, or by fields of the spans; and the spans on which they differ. Of the side that judged fewer spans the newest 20,000 verdicts are looked at.",
	Answer:   "The agreement.",
	Refusals: []int{http.StatusNotFound},
}
