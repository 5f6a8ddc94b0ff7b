// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// typeJudge is the type of every custom evaluator.
const typeJudge = "LLM_AS_A_JUDGE"

// reservedSlug is a path of its own.
const reservedSlug = "custom-evaluator"

type createdEvaluator struct {
	ID        string     `json:"evaluator_id"`
	Slug      string     `json:"slug"`
	Type      string     `json:"type"`
	VersionID string     `json:"version_id"`
	Bindings  []struct{} `json:"bindings"`
}

// createEvaluator makes an evaluator of the user's own.
func (a *api) createEvaluator(r *http.Request, env tenant.Environment) (answer, error) {
	var want customRequest
	if err := decode(r, &want); err != nil {
		return answer{}, err
	}
	c := eval.Custom{ID: uuid.NewString(), EnvironmentID: env.ID, Version: 1, VersionID: uuid.NewString(), CreatedAt: a.moment()}
	c.UpdatedAt = c.CreatedAt
	if err := want.apply(&c); err != nil {
		return answer{}, err
	}
	if want.Slug == nil {
		c.Slug = slugOf(c.Name)
	}
	if err := want.complete(&c); err != nil {
		return answer{}, err
	}
	if err := a.checkFree(c.Slug); err != nil {
		return answer{}, err
	}
	if err := a.evaluators().Create(r.Context(), c); err != nil {
		if fault.Is(err, fault.Conflict) {
			err = fault.Wrap(fault.Conflict, err, "slug %q is taken by another evaluator", c.Slug)
		}
		return answer{}, err
	}
	return answer{status: http.StatusOK, body: createdEvaluator{
		ID: c.ID, Slug: c.Slug, Type: typeJudge, VersionID: c.VersionID, Bindings: []struct{}{},
	}}, nil
}

// complete refuses a creation that leaves out what has to be there, and an
// evaluator that is wrong.
func (q *customRequest) complete(c *eval.Custom) error {
	for _, f := range [...]struct {
		name    string
		missing bool
	}{
		{"name", c.Name == ""},
		{"provider", c.Provider == ""},
		{"model", c.Model == ""},
		{"messages", absent(q.Messages)},
		{"input_schema", absent(q.Input)},
		{"output_schema", absent(q.Output)},
	} {
		if f.missing {
			return fault.New(fault.Invalid, "%s is required", f.name)
		}
	}
	return c.Check()
}

var betweenWords = regexp.MustCompile(`[^a-z0-9]+`)

// slugOf makes a slug of a name.
func slugOf(name string) string {
	const enough = 100
	slug := strings.Trim(betweenWords.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return strings.TrimRight(slug[:min(len(slug), enough)], "-")
}

// checkFree refuses slugs that mean something else already.
func (a *api) checkFree(slug string) error {
	if slug == reservedSlug {
		return fault.New(fault.Invalid, "slug must not be the reserved word %q", slug)
	}
	if _, taken := a.catalog.Get(slug); taken {
		return fault.New(fault.Conflict, "slug %q is taken by a prebuilt evaluator", slug)
	}
	return nil
}

type changedEvaluator struct {
	Evaluator struct {
		ID string `json:"id"`
	} `json:"evaluator"`
	Versions []evaluatorVersion `json:"versions"`
}

// evaluatorVersion is a version that an update made.
type evaluatorVersion struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

// updateEvaluator makes a new version of an evaluator, with what the body has
// and the rest as it was. A body that changes nothing makes none.
func (a *api) updateEvaluator(r *http.Request, env tenant.Environment) (answer, error) {
	name := pathValue(r, "slug")
	if _, ours := a.catalog.Get(name); ours {
		return answer{}, fault.New(fault.Forbidden, "Not allowed to change a prebuilt evaluator")
	}
	var change customChange
	if err := decode(r, &change); err != nil {
		return answer{}, err
	}
	want, err := change.request()
	if err != nil {
		return answer{}, err
	}
	for try := 1; ; try++ {
		was, err := a.evaluators().Get(r.Context(), env.ID, name)
		if err != nil {
			return answer{}, err
		}
		next := was
		if err := want.change(&next); err != nil {
			return answer{}, inChange(err)
		}
		shown := changedEvaluator{Versions: []evaluatorVersion{}}
		shown.Evaluator.ID = was.ID
		if reflect.DeepEqual(was, next) {
			return answer{status: http.StatusOK, body: shown}, nil
		}
		stored, err := a.evaluators().Replace(r.Context(), a.versionOf(next))
		if err == nil {
			shown.Versions = append(shown.Versions, evaluatorVersion{stored.VersionID, versionName(stored)})
			return answer{status: http.StatusOK, body: shown}, nil
		}
		if !fault.Is(err, fault.Conflict) || try == maxReplaceTries {
			return answer{}, err
		}
	}
}

// versionOf gives c as a version that is made now, and later than the one
// before whatever the clock says.
func (a *api) versionOf(c eval.Custom) eval.Custom {
	now := a.moment()
	if !now.After(c.UpdatedAt) {
		now = c.UpdatedAt.Add(time.Millisecond)
	}
	c.VersionID, c.UpdatedAt = uuid.NewString(), now
	return c
}

// change sets of c what the request has; the slug stays.
func (q *customRequest) change(c *eval.Custom) error {
	slug := c.Slug
	if err := q.apply(c); err != nil {
		return err
	}
	if c.Slug != slug {
		return fault.New(fault.Invalid, "slug cannot be changed")
	}
	return c.Check()
}

func versionName(c eval.Custom) string { return fmt.Sprintf("v%d", c.Version) }
