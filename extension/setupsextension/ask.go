// SPDX-License-Identifier: Apache-2.0

package setupsextension

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"go.opentelemetry.io/collector/component"

	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// bundlePath is the gateway's operation.
const bundlePath = "/v2/setups/bundle"

// asker asks a gateway for setups.
type asker struct {
	client     *http.Client
	url        string
	credential string
}

func (e *setups) newAsker(ctx context.Context, host component.Host) (*asker, error) {
	c, err := e.cfg.HTTP.ToClient(ctx, host.GetExtensions(), e.settings)
	if err != nil {
		return nil, fmt.Errorf(`"http": %w`, err)
	}
	// The key is for the gateway that is configured, and for no server that it names.
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &asker{c, strings.TrimSuffix(e.cfg.HTTP.Endpoint, "/") + bundlePath, "Bearer " + string(e.cfg.APIKey)}, nil
}

// ask asks once, by the tag of what is there. What it returns is nil unless that
// changed.
func (a *asker) ask(ctx context.Context, tag string) (*held, outcome, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.url, http.NoBody)
	if err != nil {
		return nil, failed, err
	}
	req.Header.Set("Authorization", a.credential)
	if tag != "" {
		req.Header.Set("If-None-Match", tag)
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return nil, failed, err
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode == http.StatusOK:
	case resp.StatusCode == http.StatusNotModified && tag != "":
		return nil, unchanged, nil
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return nil, refused, fmt.Errorf("the gateway refuses the key with status %d: it must be one that works, of scope sidecar", resp.StatusCode)
	default:
		return nil, failed, fmt.Errorf("the gateway answers with status %d", resp.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, monitor.MaxBundle+1))
	if err != nil {
		return nil, failed, err
	}
	if len(text) > monitor.MaxBundle {
		return nil, failed, errors.New("the gateway answers with more than setups can be")
	}
	b, err := monitor.UnpackBundle(text)
	if err != nil {
		return nil, failed, err
	}
	return &held{b, resp.Header.Get("Etag")}, changed, nil
}
