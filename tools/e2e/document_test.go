// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// checkAnswers holds what the API answered a page against the OpenAPI document:
// the pages use nothing that is not described.
func checkAnswers(t testing.TB, c *testbed.Collector, p *browser.Page) {
	t.Helper()
	content, err := readDocument(c)
	if err != nil {
		return // the test has stopped the collector
	}
	document, err := openapi3.NewLoader().LoadFromData(content)
	require.NoError(t, err)
	document.Servers = nil
	router, err := gorillamux.NewRouter(document)
	require.NoError(t, err)
	for _, a := range p.Answers() {
		path, isAPI := strings.CutPrefix(a.URL, c.API)
		if !isAPI || !strings.HasPrefix(path, "/v2/") {
			continue
		}
		require.Equal(t, "no-store", a.Header.Get("Cache-Control"), path)
		require.NotEmpty(t, a.Header.Get("Content-Security-Policy"), path)
		r, err := http.NewRequestWithContext(context.Background(), a.Method, path, http.NoBody)
		require.NoError(t, err)
		route, params, err := router.FindRoute(r)
		require.NoError(t, err, "%s %s", a.Method, path)
		options := &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true}
		body := p.Body(a)
		options.ExcludeResponseBody = body == nil
		require.NoError(t, openapi3filter.ValidateResponse(context.Background(), (&openapi3filter.ResponseValidationInput{
			RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route, Options: options},
			Status:                 a.Status, Header: a.Header, Options: options,
		}).SetBodyBytes(body)), "%s %s", a.Method, path)
	}
}

func readDocument(c *testbed.Collector) ([]byte, error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, c.API+"/openapi.json", http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}
