// SPDX-License-Identifier: Apache-2.0

// Package notify sends notifications of alerts over HTTP: to webhooks, to Slack and to
// an Alertmanager.
package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/internal/alert"
	"github.com/touchstone-otel/touchstone/internal/outbound"
)

const (
	// attemptTimeout bounds one attempt.
	attemptTimeout = 10 * time.Second
	// firstWait is the wait after the first attempt. Waits double up to mostWait, and after
	// giveUp a notification is given up.
	firstWait, mostWait, giveUp = 10 * time.Second, 10 * time.Minute, 24 * time.Hour
)

// ErrRefused is the cause when a target's address is one that nothing may be sent to.
var ErrRefused = errors.New("the address is not public: the operator has to allow private targets")

// Sender sends notifications. It is safe for concurrent use.
type Sender struct{ client *http.Client }

// New returns a sender. It connects to public addresses only, unless private targets are
// allowed, and never to link-local addresses and metadata services. It follows no redirect.
func New(allowPrivate bool) *Sender {
	transport := &http.Transport{
		ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute,
		TLSHandshakeTimeout: attemptTimeout, ResponseHeaderTimeout: attemptTimeout,
	}
	outbound.Harden(transport, false, func(to netip.AddrPort) error {
		if allowed := outbound.IsPublic(to.Addr()) || allowPrivate && to.IsValid() && !outbound.IsLinkLocal(to.Addr()); !allowed {
			return ErrRefused
		}
		return nil
	})
	return &Sender{&http.Client{
		Transport: transport, Timeout: attemptTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close closes connections that are not in use.
func (s *Sender) Close() { s.client.CloseIdleConnections() }

// failure is an attempt that failed.
type failure struct {
	cause string
	final bool
}

func (f *failure) Error() string { return f.cause }

// Message is a notification with all that its text says.
type Message struct {
	*alert.Notification
	Rule *alert.Rule
	// Environment is the slug of the environment.
	Environment string
	// Now is the time of the attempt.
	Now time.Time
}

// Attempt sends a message to a target once, and returns the delivery as it is then. Its errors
// name neither the target's URL nor its secret.
func (s *Sender) Attempt(ctx context.Context, m *Message, to *alert.Target, d alert.Delivery) alert.Delivery {
	err := s.send(ctx, m, to)
	d.Attempts++
	d.Error, d.NextAttempt = "", time.Time{}
	if err == nil {
		d.SentAt = m.Now.UTC()
		return d
	}
	d.Error = err.Error()
	var f *failure
	wait := mostWait
	if d.Attempts < 7 { // beyond, the wait is the longest
		wait = min(firstWait<<(d.Attempts-1), mostWait)
	}
	if next := m.Now.Add(wait).UTC(); (!errors.As(err, &f) || !f.final) && next.Sub(m.At) < giveUp {
		d.NextAttempt = next
	}
	return d
}

func (s *Sender) send(ctx context.Context, m *Message, to *alert.Target) error {
	body, header, err := payload(m, to)
	if err != nil {
		return &failure{cause: "the message cannot be written: " + err.Error(), final: true}
	}
	address := to.URL
	if to.Type == alert.Alertmanager && !strings.HasSuffix(strings.TrimRight(address, "/"), alertmanagerPath) {
		address = strings.TrimRight(address, "/") + alertmanagerPath
	}
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return &failure{cause: "the URL is not valid", final: true}
	}
	r.Header = header
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "touchstone")
	res, err := s.client.Do(r)
	if err != nil {
		return &failure{cause: unreachable(err)}
	}
	defer res.Body.Close()                                      //nolint:errcheck // nothing is lost
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 4<<10)) // so that the connection can be used again
	switch status := res.StatusCode; {
	case status < 300:
		return nil
	case status < 400:
		return &failure{cause: fmt.Sprintf("the target answered %d: redirects are not followed", status), final: true}
	case status < 500 && status != http.StatusTooManyRequests && status != http.StatusRequestTimeout:
		return &failure{cause: fmt.Sprintf("the target answered %d", status), final: true}
	}
	return &failure{cause: "the target answered " + strconv.Itoa(res.StatusCode)}
}

// unreachable says why no answer came, without the URL that errors of net/http have.
func unreachable(err error) string {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	switch {
	case errors.Is(err, ErrRefused):
		return ErrRefused.Error()
	case errors.Is(err, context.DeadlineExceeded) || isTimeout(err):
		return fmt.Sprintf("the target did not answer within %s", attemptTimeout)
	}
	return "the target cannot be reached"
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}
