// SPDX-License-Identifier: Apache-2.0

// Package images answers the SDKs of OpenLLMetry, which take images out of prompts
// and send them apart: they ask for an address, put that in the place of the image,
// and send the image there. Images are not kept, so the second is refused; the span
// keeps the address.
// https://github.com/traceloop/openllmetry/blob/main/packages/traceloop-sdk/traceloop/sdk/images/image_uploader.py
package images

import (
	"net/http"
	"net/url"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	images = "/v2/traces/{trace_id}/spans/{span_id}/images"
	// unnamed is an image without a name.
	unnamed = "image"
)

// Routes returns what is served.
func Routes() []rest.Route {
	return []rest.Route{
		rest.Environment(http.MethodPost, images, address),
		rest.Environment(http.MethodPost, images+"/{name}", refuse),
	}
}

type imageRequest struct {
	Name string `json:"image_name"`
}

// address answers where an image of a span is to be sent.
func address(r *http.Request, _ tenant.Environment) (rest.Response, error) {
	var want imageRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	key, err := rest.PathSpan(r)
	if err != nil {
		return rest.Response{}, err
	}
	if want.Name == "" {
		want.Name = unnamed
	}
	to := url.URL{Scheme: "http", Host: r.Host}
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		to.Scheme = "https"
	}
	if host := r.Header.Get("X-Forwarded-Host"); host != "" {
		to.Host = host
	}
	at := to.JoinPath("v2", "traces", key.TraceID.String(), "spans", key.SpanID.String(), "images", url.PathEscape(want.Name))
	return rest.OK(map[string]string{"url": at.String()}), nil
}

func refuse(*http.Request, tenant.Environment) (rest.Response, error) {
	return rest.Response{}, fault.New(fault.TooLarge, "images are not kept; the span keeps the address that it has in the place of the image")
}
