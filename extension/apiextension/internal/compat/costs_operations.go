// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// costsByPropertyInput has the parameters of an operation.
type costsByPropertyInput struct {
	PropertyName       string `query:"property_name" doc:"The name of the property." schema:"required"`
	StartTime          string `query:"start_time" doc:"When the period begins, RFC 3339." schema:"required"`
	EndTime            string `query:"end_time" doc:"When it ends, inclusive." schema:"required"`
	Env                string `query:"env" doc:"Slugs of environments with commas between them, of which one must be that of the key."`
	SelectedTokenTypes string `query:"selected_token_types" doc:"input_tokens, output_tokens or both with a comma between them; both by default. prompt_tokens and completion_tokens mean the same."`
}

// CostsByProperty is the operation costsByProperty.
var CostsByProperty = rest.Operation[costsByPropertyInput, Costs]{
	Method: http.MethodGet, Path: "/v2/costs/by-association-property", Scope: rest.ForEnvironment,
	Tag: "Metrics", ID: "costsByProperty", Summary: "What calls of models cost, by an association property",
	Doc:      "Of spans that started in the period and whose cost is known, without those of agents and workflows, which repeat the costs of the calls within them. user_id, session_id and conversation_id are those of all SDKs; other names are found behind every prefix by which SDKs send them. No_Value is of spans without the property, Unknown_Value of those that have it with an empty value, Other_Values of all but the 10,000 values that cost most.",
	Answer:   "Costs in US dollars, the highest first. No_Value is of spans without the property; property_name is No_Association where no span has it.",
	Refusals: []int{http.StatusGatewayTimeout},
}
