// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// minCompressed is the size in bytes from which on an answer is compressed.
const minCompressed = 1 << 10

// acceptsGzip reports whether a caller listed gzip, and not to say that it is
// unwanted: https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
func acceptsGzip(r *http.Request) bool {
	for _, line := range r.Header.Values("Accept-Encoding") {
		for listed := range strings.SplitSeq(line, ",") {
			coding, weight, _ := strings.Cut(strings.TrimSpace(listed), ";")
			if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
				continue
			}
			q, hasWeight := strings.CutPrefix(strings.TrimSpace(weight), "q=")
			value, err := strconv.ParseFloat(q, 64)
			return !hasWeight || err == nil && value > 0
		}
	}
	return false
}

var zippers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// zipping compresses an answer that says that it is long enough.
type zipping struct {
	http.ResponseWriter
	r      *http.Request
	begun  bool
	zipper *gzip.Writer // nil while the answer is sent as it is
}

// Unwrap lets deadlines through.
func (z *zipping) Unwrap() http.ResponseWriter { return z.ResponseWriter }

// WriteHeader decides whether the answer is compressed.
func (z *zipping) WriteHeader(status int) {
	if z.begun || status < http.StatusOK { // one that is under way, or only announced
		z.ResponseWriter.WriteHeader(status)
		return
	}
	z.begun = true
	h := z.Header()
	h.Add("Vary", "Accept-Encoding")
	size, err := strconv.Atoi(h.Get("Content-Length"))
	if err == nil && size >= minCompressed && h.Get("Content-Encoding") == "" && z.r.Method != http.MethodHead && acceptsGzip(z.r) {
		h.Del("Content-Length")
		h.Set("Content-Encoding", "gzip")
		z.zipper = zippers.Get().(*gzip.Writer)
		z.zipper.Reset(z.ResponseWriter)
	}
	z.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the answer.
func (z *zipping) Write(part []byte) (int, error) {
	if !z.begun {
		z.WriteHeader(http.StatusOK)
	}
	if z.zipper != nil {
		return z.zipper.Write(part)
	}
	return z.ResponseWriter.Write(part)
}

// end sends what is left.
func (z *zipping) end() {
	if z.zipper != nil {
		_ = z.zipper.Close() // the caller is gone
		zippers.Put(z.zipper)
		z.zipper = nil
	}
}
