// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"cmp"
	"net/http"
	"net/netip"
	"net/url"
	"slices"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// unnamed is an image without a name.
const unnamed = "image"

// ImagesAPI answers the SDKs of OpenLLMetry, which take images out of prompts and send them
// apart: they ask for an address, send the image there, and put the address in the place of
// the image. Images are not kept, so the second is refused. Python's SDK does not look at
// that answer, and its span has the address. JavaScript's fails, and its span has neither.
// https://github.com/traceloop/openllmetry/blob/main/packages/traceloop-sdk/traceloop/sdk/images/image_uploader.py
// https://github.com/traceloop/openllmetry-js/blob/main/packages/traceloop-sdk/src/lib/images/image-uploader.ts
type ImagesAPI struct {
	// Proxies are the networks of those whose X-Forwarded-Host and X-Forwarded-Proto count.
	Proxies []netip.Prefix
}

// Routes returns what is served.
func (a *ImagesAPI) Routes() []rest.Route {
	return []rest.Route{
		ImageAddress.Serve(rest.InEnvironment(a.address)).Accompanying(),
		Image.Serve(rest.InEnvironment(refuse)).Accompanying(),
	}
}

// ImageRequest is an image of a span.
type ImageRequest struct {
	Name string `json:"image_name" schema:"maxLength=512"`
}

// address answers where an image of a span is to be sent.
func (a *ImagesAPI) address(r *http.Request, _ tenant.Environment) (rest.Response, error) {
	var want ImageRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	key, err := rest.PathSpan(r)
	if err != nil {
		return rest.Response{}, err
	}
	switch want.Name {
	case "":
		want.Name = unnamed
	case ".", "..":
		return rest.Response{}, fault.New(fault.Invalid, "image_name must be the name of a file")
	}
	to := url.URL{Scheme: "http", Host: r.Host}
	if r.TLS != nil {
		to.Scheme = "https"
	}
	if a.isProxied(r) {
		if r.Header.Get("X-Forwarded-Proto") == "https" {
			to.Scheme = "https"
		}
		to.Host = cmp.Or(r.Header.Get("X-Forwarded-Host"), to.Host)
	}
	at := to.JoinPath("v2", "traces", key.TraceID.String(), "spans", key.SpanID.String(), "images", url.PathEscape(want.Name))
	return rest.OK(ImageLocation{URL: at.String()}), nil
}

// isProxied reports whether a request comes from a proxy that is trusted.
func (a *ImagesAPI) isProxied(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && slices.ContainsFunc(a.Proxies, func(p netip.Prefix) bool { return p.Contains(from.Addr().Unmap()) })
}

func refuse(*http.Request, tenant.Environment) (rest.Response, error) {
	return rest.Response{}, fault.New(fault.TooLarge, "images are not kept: the span is stored without this one")
}
