// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// CheckReserved refuses, naming path[i].field, rules that no span can satisfy: they
// want an attribute to be there whose name only we may write, and that rules are not
// shown. Verdicts are shown, as attributes of the span. The selector is valid.
func (s Selector) CheckReserved(path string) error {
	for i := range s {
		if err := s[i].checkReserved(); err != nil {
			return fault.New(fault.Invalid, "%s[%d].%s", path, i, fault.Message(err))
		}
	}
	return nil
}

func (r *Rule) checkReserved() error {
	verdict, isVerdict := strings.CutPrefix(r.Key, tenant.EvaluationPrefix)
	switch _, negated := r.Operator.Positive(); {
	case negated || !tenant.Reserved(r.Key):
		return nil
	case !isVerdict:
		return fault.New(fault.Invalid, `key must not begin with "touchstone.": rules are not shown what only Touchstone writes`)
	case r.Source != SpanAttributes:
		return fault.New(fault.Invalid, "source must be span_attributes: verdicts are attributes of the span")
	}
	if _, err := query.ParseVerdict(verdict); err != nil {
		return fault.New(fault.Invalid, "key %s", fault.Message(err))
	}
	return nil
}
