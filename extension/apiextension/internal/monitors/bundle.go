// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/mask"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Live is the part of a control store that bundles are made of.
type Live interface {
	// Setups returns the setups of an environment from memory: the very same slice
	// until one of them changes.
	Setups(env tenant.EnvironmentID) []monitor.Setup
	// Secret returns a secret of the installation.
	Secret(ctx context.Context, name string) ([]byte, error)
}

// BundleAPI serves what a sidecar works with: the setups of its environment, as far as a
// sidecar can judge by them.
type BundleAPI struct {
	control    Live
	evaluators *registry.Registry
	now        func() time.Time

	making    sync.Mutex // held while a snapshot is made, so that one is for all who wait
	snapshots *lru.Cache[tenant.EnvironmentID, *snapshot]
}

// maxSnapshots is how many environments have their bundle kept; of others it is made again
// when it is asked for.
const maxSnapshots = 10_000

// NewBundleAPI returns an API of the setups of a control store and of these evaluators.
func NewBundleAPI(control Live, evaluators *registry.Registry, now func() time.Time) *BundleAPI {
	snapshots, _ := lru.New[tenant.EnvironmentID, *snapshot](maxSnapshots) // fails for sizes below 1
	return &BundleAPI{control: control, evaluators: evaluators, now: now, snapshots: snapshots}
}

// snapshot is the bundle of an environment, but for its text, which is made for those
// who do not have it yet.
type snapshot struct {
	of       []monitor.Setup // as they are in memory
	portable [sha256.Size]byte
	tag      string
	bundle   monitor.Bundle
}

// Routes returns what is served.
func (a *BundleAPI) Routes() []rest.Route {
	return []rest.Route{GetSetupsBundle.Serve(a.get).Following().Uncounted()}
}

func (a *BundleAPI) get(r *http.Request, p *tenant.Principal) (rest.Response, error) {
	env := p.Environment.ID
	now, err := a.snapshot(env)
	if err != nil {
		return rest.Response{}, err
	}
	header := http.Header{"Etag": {now.tag}, "Cache-Control": {"private, no-cache"}}
	if has(r, now.tag) {
		return rest.Response{Status: http.StatusNotModified, Header: header}, nil
	}
	answer := now.bundle
	// A caller that has the key of hashes can try out what they are of: not who only reads.
	if p.Scope != tenant.Read && monitor.Hashes(answer.Setups) {
		secret, err := a.control.Secret(r.Context(), mask.SecretName)
		if err != nil {
			return rest.Response{}, fmt.Errorf("read the secret of hashes: %w", err)
		}
		answer.HashKey = mask.Key(secret, env)
	}
	return rest.Response{Status: http.StatusOK, Header: header, Body: &answer}, nil
}

// snapshot returns the bundle of an environment. As long as nothing changes in memory
// it costs a look at it, and evaluators are looked up only if a wish changed.
func (a *BundleAPI) snapshot(env tenant.EnvironmentID) (*snapshot, error) {
	if was := a.known(env); was != nil && same(was.of, a.control.Setups(env)) {
		return was, nil
	}
	a.making.Lock()
	defer a.making.Unlock()
	live, was := a.control.Setups(env), a.known(env)
	if was != nil && same(was.of, live) {
		return was, nil
	}
	portable := monitor.Portable(live)
	text, err := json.Marshal(portable)
	if err != nil {
		return nil, fmt.Errorf("write the setups: %w", err)
	}
	now := &snapshot{of: live, portable: sha256.Sum256(text)}
	if was != nil && was.portable == now.portable {
		now.tag, now.bundle = was.tag, was.bundle
	} else {
		now.bundle = monitor.Bundle{
			Version: monitor.BundleVersion, Environment: env, MadeAt: rest.Moment(a.now()), Setups: monitor.Local(portable, a.find),
		}
		if text, err = json.Marshal(now.bundle.Setups); err != nil {
			return nil, fmt.Errorf("write the bundle: %w", err)
		}
		digest := sha256.Sum256(text)
		now.tag = fmt.Sprintf(`"%d-%x"`, monitor.BundleVersion, digest[:16])
	}
	a.snapshots.Add(env, now)
	return now, nil
}

// known returns the last snapshot of an environment, nil if there was none.
func (a *BundleAPI) known(env tenant.EnvironmentID) *snapshot {
	was, _ := a.snapshots.Get(env)
	return was
}

// find returns the prebuilt evaluator of a setup. Custom ones ask a judge, whatever
// they are, and are none.
func (a *BundleAPI) find(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
	if w.CustomID != "" {
		return nil, nil
	}
	return a.evaluators.Bound(context.Background(), "", w.Slug, "")
}

// same reports whether both are the very same slice.
func same(a, b []monitor.Setup) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// has reports whether a request says that its sender has what goes by the tag.
// https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
func has(r *http.Request, tag string) bool {
	for _, one := range strings.Split(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == tag || one == "*" {
			return true
		}
	}
	return false
}
