// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// protections are the headers of every answer of the UI. Nothing is loaded from
// another origin, and no text ever becomes markup or a script:
// https://www.w3.org/TR/CSP3/, https://www.w3.org/TR/trusted-types/
var protections = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; " +
		"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
		"require-trusted-types-for 'script'; trusted-types 'none'",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Permissions-Policy":           "camera=(), microphone=(), geolocation=(), clipboard-write=(self)",
}

func setSecurityHeaders(h http.Header) {
	for name, value := range protections {
		h.Set(name, value)
	}
}

// refuse answers with an error as the API would.
func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, struct {
		Error string `json:"error"`
	}{message})
}

// answer writes a body as JSON that no one is to keep.
func answer(w http.ResponseWriter, status int, body any) {
	content, err := json.Marshal(body)
	if err != nil {
		status, content = http.StatusInternalServerError, []byte(`{"error":"internal error"}`)
	}
	content = append(content, '\n')
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(content)))
	w.WriteHeader(status)
	_, _ = w.Write(content) // the caller is gone
}
