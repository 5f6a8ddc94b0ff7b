// SPDX-License-Identifier: Apache-2.0

// Package genaitest provides recordings of what real SDKs send over OTLP, and what
// is to become of them, to tests and to the demonstration.
package genaitest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

//go:embed testdata/otlp
var files embed.FS

const dir = "testdata/otlp"

// Signal is what a request carries.
type Signal string

// Signals.
const (
	Traces Signal = "traces"
	Logs   Signal = "logs"
)

// Recording is one request as an SDK sent it.
type Recording struct {
	File            string
	ContentType     string // application/x-protobuf or application/json
	ContentEncoding string // gzip or ""
	Path            string // of the URL
	Signal          Signal
	Body            []byte
}

// Load returns every recording, in the order of the index.
func Load() ([]Recording, error) {
	index, err := files.ReadFile(path.Join(dir, "index.jsonl"))
	if err != nil {
		return nil, err
	}
	expected, err := LoadExpected()
	if err != nil {
		return nil, err
	}
	var list []Recording
	lines := bufio.NewScanner(bytes.NewReader(index))
	for lines.Scan() {
		var line struct {
			File            string `json:"file"`
			Path            string `json:"path"`
			ContentType     string `json:"content_type"`
			ContentEncoding string `json:"content_encoding"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("index of recordings: %w", err)
		}
		body, err := files.ReadFile(path.Join(dir, line.File))
		if err != nil {
			return nil, err
		}
		r := Recording{
			File: line.File, ContentType: line.ContentType, ContentEncoding: line.ContentEncoding,
			Path: line.Path, Signal: Logs, Body: body,
		}
		if _, ok := expected[r.File]; ok {
			r.Signal = Traces
		}
		list = append(list, r)
	}
	return list, lines.Err()
}

// Recordings is Load for tests.
func Recordings(t testing.TB) []Recording {
	t.Helper()
	list, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Plain returns the body without its content encoding.
func (r Recording) Plain() ([]byte, error) {
	if r.ContentEncoding != "gzip" {
		return r.Body, nil
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(r.Body))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.File, err)
	}
	return io.ReadAll(unzipped)
}

// Traces decodes the body of a recording of traces.
func (r Recording) Traces() (ptrace.Traces, error) {
	request := ptraceotlp.NewExportRequest()
	err := r.decode(request.UnmarshalProto, request.UnmarshalJSON)
	return request.Traces(), err
}

// Logs decodes the body of a recording of logs.
func (r Recording) Logs() (plog.Logs, error) {
	request := plogotlp.NewExportRequest()
	err := r.decode(request.UnmarshalProto, request.UnmarshalJSON)
	return request.Logs(), err
}

func (r Recording) decode(proto, json func([]byte) error) error {
	body, err := r.Plain()
	if err != nil {
		return err
	}
	decode := proto
	if r.ContentType == "application/json" {
		decode = json
	}
	if err := decode(body); err != nil {
		return fmt.Errorf("%s: %w", r.File, err)
	}
	return nil
}
