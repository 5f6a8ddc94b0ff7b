// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/evanw/esbuild/pkg/api"
)

// policy is the header that says what pages may do: pages that are developed may do
// no more than those that are shipped.
const policy = "Content-Security-Policy"

const (
	assetsPath = "/ui/assets/dev/"
	icon       = "icon.svg" // which is not built
)

// develop serves the web UI of dir at an address, rebuilt whenever a source
// changes, and hands what it does not have on to a collector: the API and the
// sessions.
func develop(dir, address, collector string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	to, err := url.Parse(collector)
	if err != nil || to.Host == "" {
		return fmt.Errorf("the collector's address %q is not like http://127.0.0.1:8080", collector)
	}
	header, err := policyOf(collector)
	if err != nil {
		return err
	}
	out, err := os.MkdirTemp("", "touchstone-ui-dev-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(out) //nolint:errcheck // of the system's temporary directory
	options := optionsOf(dir)
	options.Outdir, options.Write, options.Sourcemap, options.LogLevel = out, true, api.SourceMapLinked, api.LogLevelInfo
	building, failed := api.Context(options)
	if failed != nil {
		return failed
	}
	defer building.Dispose()
	if first := building.Rebuild(); len(first.Errors) > 0 { // watching builds in the background: an early request would find nothing
		return errors.New("the sources cannot be built")
	}
	if err := building.Watch(api.WatchOptions{}); err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("web UI of %s on http://%s/ui/, over %s\n", dir, l.Addr(), collector)
	server := &http.Server{Handler: developed(dir, out, header, to), ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(l)
}

// policyOf returns what the pages of a collector may do.
func policyOf(collector string) (string, error) {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, collector+"/ui/", http.NoBody)
	if err != nil {
		return "", err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", fmt.Errorf("no collector answers, start one with make run: %w", err)
	}
	defer answer.Body.Close() //nolint:errcheck // it is not read
	if answer.Header.Get(policy) == "" {
		return "", errors.New("the collector does not serve the web UI")
	}
	return answer.Header.Get(policy), nil
}

func developed(dir, out, header string, to *url.URL) http.Handler {
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host // sessions count for the origin that the browser sees
	}}
	assets := http.StripPrefix(assetsPath, http.FileServer(http.Dir(out)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/ui/session" || !strings.HasPrefix(r.URL.Path, "/ui/"):
			forward.ServeHTTP(w, r)
			return
		case r.URL.Path == assetsPath+icon:
			http.ServeFile(w, r, filepath.Join(dir, "src", icon))
			return
		case strings.HasPrefix(r.URL.Path, assetsPath):
			w.Header().Set("Cache-Control", "no-store")
			assets.ServeHTTP(w, r)
			return
		}
		page, err := pageOf(dir)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set(policy, header)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(page) // the browser is gone
	})
}

// pageOf returns the page as it is now.
func pageOf(dir string) ([]byte, error) {
	page, err := template.ParseFiles(filepath.Join(dir, "index.html"))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = page.Execute(&b, struct{ Base, API, Assets string }{"/ui", "/v2", strings.TrimSuffix(assetsPath, "/")})
	return b.Bytes(), err
}
