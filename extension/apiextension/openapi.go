// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/evaluators"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
)

// getDocument is the operation get-openapi.
var getDocument = rest.Operation[rest.None, map[string]any]{
	Method: http.MethodGet, Path: "/openapi.json", Scope: rest.ForAll,
	Tag: "Service", ID: "get-openapi", Summary: "Get this document",
	Answer:   "The document.",
	Refusals: []int{http.StatusInternalServerError},
}

// publicRoutes are those that need no credential.
func publicRoutes(document func() []byte, h *health) []rest.Route {
	openapi := func(*http.Request) (rest.Response, error) { return rest.OK(json.RawMessage(document())), nil }
	return []rest.Route{
		getHealth.Serve(rest.Alone(h.ready)),
		headHealth.Serve(rest.Alone(h.ready)),
		getHealthReady.Serve(rest.Alone(h.ready)),
		getHealthLive.Serve(rest.Alone(h.live)),
		getDocument.Serve(rest.Alone(openapi)),
	}
}

// newDocument returns the OpenAPI document: that of the routes, and two paths for
// each evaluator of the catalog.
func newDocument(routes []rest.Route, catalog *eval.Catalog) ([]byte, error) {
	document := rest.Document(routes)
	paths := document["paths"].(object)
	for _, e := range catalog.All() {
		paths["/v2/evaluators/"+e.Slug+"/execute"] = object{"post": executeOperation(e)}
		paths["/v2/guardrails/"+e.Slug+"/execute"] = object{"post": guardOperation(e)}
	}
	return json.Marshal(document)
}

// object is a JSON object of the document.
type object = map[string]any

func executeOperation(e *eval.Evaluator) object {
	o := callOperation(e, e.RequestSchema(), "The verdict.", e.ResponseSchema())
	o["operationId"], o["summary"] = "execute-"+e.Slug, "Run "+e.Slug
	headers := o["responses"].(object)["200"].(object)["headers"].(object)
	for header, name := range map[string]string{
		"Version": "EvaluatorVersion", "Duration-Ms": "EvaluatorDuration", "Prompt-Tokens": "EvaluatorPromptTokens",
		"Completion-Tokens": "EvaluatorCompletionTokens", "Cost-Usd": "EvaluatorCost",
	} {
		headers["X-Evaluator-"+header] = object{"$ref": "#/components/headers/" + name}
	}
	return o
}

// guardOperation is executeOperation with what the verdict means to a guard.
func guardOperation(e *eval.Evaluator) object {
	result := e.ResponseSchema()
	delete(result, "examples")
	o := callOperation(e, evaluators.GuardSchema(e), "The verdict and what it means.", object{
		"type": "object",
		"properties": object{"result": result, "pass": object{"type": "boolean"}, "on_uncertain": object{
			"type": "string", "enum": []string{"keep", "drop_content"}, "description": "What was done with a verdict that is uncertain; missing where it is certain.",
		}},
		"required": []string{"result", "pass"},
	})
	o["operationId"], o["summary"] = "guard-"+e.Slug, "Run "+e.Slug+" as a guard"
	return o
}

func callOperation(e *eval.Evaluator, request object, about string, body object) object {
	responses := object{
		"200": object{
			"description": about,
			"headers": object{"X-Evaluator-Backend": object{
				"description": "What computed the verdict.",
				"required":    true,
				"schema":      object{"type": "string", "enum": []string{"deterministic", "embedded", "judge", "embedding", "classifier"}},
			}, "X-Evaluator-Language": object{"$ref": "#/components/headers/Language"}},
			"content": object{"application/json": object{"schema": body}},
		},
	}
	for status, name := range map[string]string{
		"400": "Invalid", "401": "Unauthorized", "403": "Forbidden", "413": "TooLarge",
		"415": "UnsupportedMediaType", "429": "OverQuota", "500": "Internal", "501": "NotConfigured", "502": "Unusable", "503": "Unavailable", "504": "TimedOut",
	} {
		responses[status] = object{"$ref": "#/components/responses/" + name}
	}
	return object{
		"tags":        []string{"Evaluators"},
		"description": e.Doc,
		"security":    []object{{"apiKey": []string{}}},
		"requestBody": object{
			"required": true,
			"content":  object{"application/json": object{"schema": request}},
		},
		"responses": responses,
	}
}
