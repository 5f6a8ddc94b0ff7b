// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// object is a JSON object of the document.
type object = map[string]any

// Document returns the OpenAPI document of routes.
func Document(routes []Route) map[string]any {
	s := newSchemas()
	paths := object{}
	for _, route := range routes {
		path, ok := paths[route.Path].(object)
		if !ok {
			path = object{}
			paths[route.Path] = path
		}
		path[strings.ToLower(route.Method)] = route.describe(s)
	}
	responses := refusals(s)
	return object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Touchstone", "version": "2", "description": "Judges LLM spans as they arrive, and shows them with their verdicts.",
			"license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"tags": []any{
			object{"name": "Organizations"},
			object{"name": "Backups"},
			object{"name": "Evaluators"},
			object{"name": "Auto monitors"},
			object{"name": "Spans"},
			object{"name": "Privacy"},
			object{"name": "Metrics"},
			object{"name": "Alerts"},
			object{"name": "Service"},
		},
		"paths": paths,
		"components": object{
			"schemas": s.components, "responses": responses, "headers": headers(),
			"securitySchemes": object{
				apiKey:      object{"type": "http", "scheme": "bearer", "description": "The API key of an environment."},
				accessToken: object{"type": "http", "scheme": "bearer", "description": "The access token of the operator."},
			},
		},
	}
}

// describe returns the operation as the document has it.
func (o *Operation[In, Out]) describe(s *schemas) object {
	in := reflect.TypeFor[In]()
	parameters, hasQuery := s.parameters(in)
	described := object{
		"operationId": o.ID, "tags": []string{o.Tag}, "summary": o.Summary,
		"security": []any{}, "responses": o.responses(s, in, hasQuery),
	}
	if o.Doc != "" {
		described["description"] = o.Doc
	}
	if len(o.Scope.credentials) > 0 {
		var security []any
		for _, scheme := range o.Scope.credentials {
			security = append(security, object{scheme: []string{}})
		}
		described["security"] = security
	}
	if len(parameters) > 0 {
		described["parameters"] = parameters
	}
	if body, _ := bodyOf(in); body != nil {
		described["requestBody"] = object{"required": true, "content": content("application/json", s.of(body, ofRequest))}
	}
	return described
}

func content(kind string, schema object) object { return object{kind: object{"schema": schema}} }

func (o *Operation[In, Out]) responses(s *schemas, in reflect.Type, hasQuery bool) object {
	all := object{}
	if o.Answer != "" {
		all[strconv.Itoa(o.status())] = o.answer(s, Other{Text: o.Answer, Headers: o.Headers})
	}
	for status, other := range o.Others {
		all[strconv.Itoa(status)] = o.answer(s, other)
	}
	for _, status := range o.refused(in, hasQuery) {
		text := strconv.Itoa(status)
		if all[text] == nil {
			all[text] = object{"$ref": "#/components/responses/" + refusalTexts[status].name}
		}
	}
	return all
}

func (o *Operation[In, Out]) answer(s *schemas, a Other) object {
	answer := object{"description": a.Text}
	switch out := reflect.TypeFor[Out](); {
	case a.Empty || out == reflect.TypeFor[None]():
	case out == reflect.TypeFor[Attachment]():
		answer["content"] = content("text/plain", object{"type": "string"})
	case out == reflect.TypeFor[CSV]():
		answer["content"] = content("text/csv", object{"type": "string"})
	default:
		answer["content"] = content("application/json", s.of(out, ofAnswer))
	}
	if len(a.Headers) > 0 {
		named := object{}
		for header, component := range a.Headers {
			named[header] = object{"$ref": "#/components/headers/" + component}
		}
		answer["headers"] = named
	}
	return answer
}

// refused returns the statuses of the refusals that an operation has.
func (o *Operation[In, Out]) refused(in reflect.Type, hasQuery bool) []int {
	all := slices.Clone(o.Refusals)
	if len(o.Scope.credentials) > 0 {
		all = append(all, http.StatusUnauthorized, http.StatusForbidden, http.StatusInternalServerError, http.StatusServiceUnavailable)
	}
	if slices.Equal(o.Scope.credentials, ForEnvironment.credentials) {
		all = append(all, http.StatusTooManyRequests)
	}
	body, _ := bodyOf(in)
	if hasQuery || body != nil {
		all = append(all, http.StatusBadRequest)
	}
	if body != nil {
		all = append(all, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	return all
}

type refusalText struct{ name, text string }

// refusalTexts are the refusals by their status.
var refusalTexts = map[int]refusalText{
	http.StatusBadRequest:            {"Invalid", "The request is wrong; the message names the field."},
	http.StatusUnauthorized:          {"Unauthorized", "There is no valid credential."},
	http.StatusForbidden:             {"Forbidden", "The credential is valid but may not do this."},
	http.StatusNotFound:              {"NotFound", "There is nothing of this name."},
	http.StatusConflict:              {"Conflict", "Something else has the name, or changed first."},
	http.StatusPreconditionFailed:    {"PreconditionFailed", "The setup is not the one that If-Match names."},
	http.StatusRequestEntityTooLarge: {"TooLarge", "The body is too large, or a text of it is over 1 MiB."},
	http.StatusUnsupportedMediaType:  {"UnsupportedMediaType", "The body is not declared as JSON."},
	http.StatusTooManyRequests:       {"OverQuota", "The environment has as many requests or queries under way as it may, or as much of something else as its quota allows."},
	http.StatusInternalServerError:   {"Internal", "The service failed."},
	http.StatusNotImplemented:        {"NotConfigured", "The evaluator needs a model that is not configured: the same request fails until an operator configures one."},
	http.StatusBadGateway:            {"Unusable", "The model that was asked gave no answer that can be used; the same request may get another one."},
	http.StatusServiceUnavailable:    {"Unavailable", "The same request may succeed later."},
	http.StatusGatewayTimeout:        {"TimedOut", "What was asked of the span store took longer than a query may: ask for a shorter period, or filter by exact values."},
}

// refusals are the responses that operations refer to.
func refusals(s *schemas) object {
	all := object{}
	schema := s.of(reflect.TypeFor[errorBody](), ofAnswer)
	for status, r := range refusalTexts {
		one := object{"description": r.text, "content": content("application/json", schema)}
		switch status {
		case http.StatusUnauthorized:
			one["headers"] = object{"WWW-Authenticate": object{"description": "The scheme of the credential.", "required": true, "schema": object{"type": "string", "enum": []string{"Bearer"}}}}
		case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			one["headers"] = object{"Retry-After": object{"$ref": "#/components/headers/RetryAfter"}}
		}
		all[r.name] = one
	}
	return all
}
