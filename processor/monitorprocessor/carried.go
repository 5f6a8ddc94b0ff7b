// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// wishes are the setups that came along with spans, compiled.
type wishes struct {
	monitors []*monitor.Monitor
	byID     map[string]*monitor.Monitor
}

func (p *monitorProcessor) unpack(packed []byte) (*wishes, error) {
	setups, customs, err := monitor.UnpackSetups(packed)
	if err != nil {
		return nil, err
	}
	w := &wishes{monitors: monitor.CompileAll(setups, p.finder.among(customs)), byID: make(map[string]*monitor.Monitor, len(setups))}
	for _, m := range w.monitors {
		w.byID[m.Setup.ID] = m
	}
	return w, nil
}

// run returns what is to make an evaluation, nil if it is gone, and the
// generation of its setup.
func (w *wishes) run(e *eval.Evaluation) (*monitor.Run, int64) {
	m := w.byID[e.SetupID]
	if m == nil {
		return nil, 0
	}
	r := m.Run(e.Evaluator)
	if r == nil || isGone(r.Err) {
		return nil, 0
	}
	return r, m.Setup.Generation
}

// wishesOf unpacks the setups of a resource; nearly always many resources have
// the same.
func (p *monitorProcessor) wishesOf(r pcommon.Resource, known map[string]*wishes) (*wishes, error) {
	v, ok := r.Attributes().Get(tenant.AttributeSetups)
	if !ok || v.Type() != pcommon.ValueTypeBytes {
		return nil, fmt.Errorf("resource attribute %q is missing", tenant.AttributeSetups)
	}
	packed := v.Bytes().AsRaw()
	if w, ok := known[string(packed)]; ok {
		return w, nil
	}
	w, err := p.unpack(packed)
	if err != nil {
		return nil, err
	}
	known[string(packed)] = w
	return w, nil
}
