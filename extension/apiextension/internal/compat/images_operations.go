// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// ImageAddressInput has the parameters of an operation.
type ImageAddressInput struct {
	TraceID string       `path:"trace_id" doc:"32 hexadecimal digits."`
	SpanID  string       `path:"span_id" doc:"16 hexadecimal digits."`
	Body    ImageRequest `body:"json"`
}

// ImageInput has the parameters of an operation.
type ImageInput struct {
	TraceID string `path:"trace_id" doc:"32 hexadecimal digits."`
	SpanID  string `path:"span_id" doc:"16 hexadecimal digits."`
	Name    string `path:"name" doc:"The name of the image."`
}

// ImageLocation is where an image is to be sent.
type ImageLocation struct {
	_ struct{} `schema:"open"`

	URL string `json:"url"`
}

// ImageAddress is the operation imageAddress.
var ImageAddress = rest.Operation[ImageAddressInput, ImageLocation]{
	Method: http.MethodPost, Path: "/v2/traces/{trace_id}/spans/{span_id}/images", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "imageAddress", Summary: "Where an image of a span is to be sent",
	Doc:    "What SDKs of OpenLLMetry ask that take images out of prompts. The address takes no image: images are not kept.",
	Answer: "The address.",
}

// Image is the operation image.
var Image = rest.Operation[ImageInput, rest.None]{
	Method: http.MethodPost, Path: "/v2/traces/{trace_id}/spans/{span_id}/images/{name}", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "image", Summary: "Send an image of a span",
	Doc:      "Refused with 413: images are not kept.",
	Refusals: []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType},
}
