// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// GetSetupsBundleInput has the parameters of an operation.
type GetSetupsBundleInput struct {
	IfNoneMatch string `header:"If-None-Match" doc:"The ETag of the bundle that the caller has."`
}

// SetupsBundle is what documents monitor.Bundle.
type SetupsBundle struct {
	Version       int64          `json:"version" doc:"Of this form. A sidecar of another release that does not know it leaves all judging to the gateway."`
	EnvironmentID string         `json:"environment_id" doc:"Whose setups these are."`
	MadeAt        string         `json:"made_at" doc:"When the setups were first seen as they are." schema:"format=date-time"`
	Setups        []BundledSetup `json:"setups" doc:"Oldest first."`
	HashKey       string         `json:"hash_key,omitempty" doc:"The key that texts of the environment are hashed with, where a setup asks for it; not for keys of scope read." schema:"contentEncoding=base64"`
}

// BundledSetup is a setup of a bundle.
type BundledSetup struct {
	_ struct{} `schema:"open"`

	ID         string              `json:"id" doc:"Identifies the setup."`
	ExternalID string              `json:"external_id,omitempty" doc:"What its user calls it."`
	Generation int64               `json:"generation" doc:"Grows by one when its user changes selector or evaluators. A verdict of another generation is not taken from a sidecar." schema:"minimum=1"`
	Evaluators []BundledEvaluator  `json:"evaluators" doc:"Those that judge in place."`
	OnVerdict  []monitor.OnVerdict `json:"on_verdict,omitempty" doc:"What becomes of matched spans by the verdicts of evaluators."`
}

// BundledEvaluator is an evaluator of a setup.
type BundledEvaluator struct {
	_ struct{} `schema:"open"`

	Slug string `json:"slug" doc:"The evaluator."`
}

// GetSetupsBundle is the operation get-setups-bundle.
var GetSetupsBundle = rest.Operation[GetSetupsBundleInput, SetupsBundle]{
	Method: http.MethodGet, Path: "/v2/setups/bundle", Scope: rest.ForEnvironment,
	Tag: "Auto monitors", ID: "get-setups-bundle", Summary: "Get what a sidecar works with",
	Doc:     "The setups of the environment that are not paused, each with those of its evaluators that judge in place here, as processes hand them on. The answer has an ETag; with it as If-None-Match the answer is 304 until a user changes something. A key of scope sidecar, full or read is good for it.",
	Answer:  "The bundle.",
	Headers: map[string]string{"ETag": "BundleETag"},
	Others: map[int]rest.Other{
		http.StatusNotModified: {Text: "The caller has it.", Headers: map[string]string{"ETag": "BundleETag"}, Empty: true},
	},
	Refusals: []int{http.StatusGatewayTimeout},
}
