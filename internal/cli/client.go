// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	defaultTimeout = 30 * time.Second
	// maxAnswer bounds what is read of one answer, in bytes.
	maxAnswer = 256 << 20
)

// client asks the API of one collector.
type client struct {
	url     string
	keyFile string
	timeout time.Duration

	base *url.URL
	key  string
	http *http.Client
}

// prepare checks the address and reads the key.
func (c *client) prepare() error {
	base, err := url.Parse(c.url)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return usage("--url must be an http or https address")
	}
	c.base = base
	c.key = os.Getenv("TOUCHSTONE_API_KEY")
	if c.keyFile != "" {
		b, err := os.ReadFile(c.keyFile)
		if err != nil {
			return usage("--key-file cannot be read: %w", err)
		}
		c.key = strings.TrimSpace(string(b))
	}
	c.http = &http.Client{Timeout: c.timeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return nil
}

// answer is what the API answered.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// ask sends one request; body may be nil. An answer of 400 and above is an
// error with the API's own sentence.
func (c *client) ask(ctx context.Context, method, path string, query url.Values, body any) (*answer, error) {
	var payload io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, usage("the request cannot be written as JSON: %w", err)
		}
		payload = bytes.NewReader(b)
	}
	target := *c.base
	target.Path = strings.TrimRight(target.Path, "/") + path
	target.RawPath = ""
	target.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, method, target.String(), payload)
	if err != nil {
		return nil, usage("%w", err)
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // the address stands in the sentence below
		}
		return nil, &exitError{ExitUnreachable, fmt.Errorf("%s does not answer: %w", c.base.Host, err)}
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end below
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, &exitError{ExitUnreachable, fmt.Errorf("the answer of %s broke off: %w", c.base.Host, err)}
	}
	if len(b) > maxAnswer {
		return nil, &exitError{ExitFailed, fmt.Errorf("the answer is over %d MiB: ask for less", maxAnswer>>20)}
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return nil, c.refused(resp.StatusCode, b)
	}
	return &answer{resp.StatusCode, resp.Header, b}, nil
}

// get asks for a path and decodes the answer into a value.
func get[T any](ctx context.Context, c *client, path string, query url.Values) (v T, raw []byte, err error) {
	a, err := c.ask(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return v, nil, err
	}
	if err := json.Unmarshal(a.body, &v); err != nil {
		return v, nil, &exitError{ExitFailed, errors.New("the answer is not the API's: is --url the address of a collector?")}
	}
	return v, a.body, nil
}

// refused returns the error of an answer that refuses.
func (c *client) refused(status int, body []byte) error {
	var told struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(body, &told) != nil || told.Error == "" {
		told.Error = http.StatusText(status)
	}
	switch {
	case status == http.StatusUnauthorized && c.key == "":
		return &exitError{ExitFailed, errors.New("an API key is needed: set TOUCHSTONE_API_KEY or --key-file")}
	case status == http.StatusUnauthorized:
		return &exitError{ExitFailed, errors.New("the API key is not known: set TOUCHSTONE_API_KEY or --key-file")}
	case status == http.StatusTooManyRequests, status >= http.StatusInternalServerError && status != http.StatusNotImplemented:
		return &exitError{ExitUnreachable, fmt.Errorf("%s (%d): try again later", told.Error, status)}
	}
	return &exitError{ExitFailed, fmt.Errorf("%s (%d)", told.Error, status)}
}
