// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// pages are the built files, ready to be sent.
type pages struct {
	page   []byte // index.html with its paths filled in
	digest string // of all assets
	assets map[string]asset
}

type asset struct {
	kind          string
	plain, zipped []byte
}

const indexName = "index.html"

// newPages reads the built files, compresses them and fills in the paths that
// browsers are to ask for.
func newPages(files fs.FS, cfg *Config) (*pages, error) {
	p := &pages{assets: map[string]asset{}}
	sum := sha256.New()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == indexName {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", name, len(content), content) // a digest takes everything
		p.assets[name], err = newAsset(name, content)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the built web UI: %w", err)
	}
	p.digest = hex.EncodeToString(sum.Sum(nil))[:16]
	index, err := template.ParseFS(files, indexName)
	if err != nil {
		return nil, fmt.Errorf("read the built web UI: %w", err)
	}
	base := cfg.PublicPath + cfg.Path
	var page bytes.Buffer
	err = index.Execute(&page, struct{ Base, API, Assets string }{base, cfg.PublicPath + "/v2", base + "/assets/" + p.digest})
	p.page = page.Bytes()
	return p, err
}

func newAsset(name string, content []byte) (asset, error) {
	kind := mime.TypeByExtension(path.Ext(name))
	switch path.Ext(name) { // whatever the machine's own table says
	case ".js":
		kind = "text/javascript; charset=utf-8"
	case ".css":
		kind = "text/css; charset=utf-8"
	case ".svg":
		kind = "image/svg+xml"
	case ".txt":
		kind = "text/plain; charset=utf-8"
	}
	var z bytes.Buffer
	w, err := gzip.NewWriterLevel(&z, gzip.BestCompression)
	if err != nil {
		return asset{}, err
	}
	if _, err = w.Write(content); err != nil {
		return asset{}, err
	}
	if err = w.Close(); err != nil {
		return asset{}, err
	}
	return asset{kind: kind, plain: content, zipped: z.Bytes()}, nil
}

// index answers with the page, whatever the path is: the page reads it.
func (p *pages) index(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/html; charset=utf-8")
	send(w, r, p.page)
}

// asset answers with the asset at <digest>/<name>, which never changes.
func (p *pages) asset(w http.ResponseWriter, r *http.Request, where string) {
	digest, name, _ := strings.Cut(where, "/")
	a, known := p.assets[name]
	if !known || digest != p.digest {
		refuse(w, http.StatusNotFound, "there is nothing at this path")
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Type", a.kind)
	h.Set("Vary", "Accept-Encoding")
	if acceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		send(w, r, a.zipped)
		return
	}
	send(w, r, a.plain)
}

func send(w http.ResponseWriter, r *http.Request, content []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(content) // the caller is gone
	}
}
