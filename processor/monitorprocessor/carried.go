// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// carriedMonitors holds the compiled setups that a resource carried.
type carriedMonitors struct {
	monitors *monitor.Monitors
	byID     map[string]*monitor.Monitor
}

func (p *monitorProcessor) unpack(packed []byte) (*carriedMonitors, error) {
	setups, custom, err := monitor.UnpackSetups(packed)
	if err != nil {
		return nil, err
	}
	w := &carriedMonitors{monitors: monitor.CompileAll(setups, p.resolver.among(custom)), byID: make(map[string]*monitor.Monitor, len(setups))}
	for _, m := range w.monitors.List {
		w.byID[m.Setup.ID] = m
	}
	return w, nil
}

// run returns the run that is to make an evaluation, nil if its setup or evaluator
// is gone, and the generation of the setup.
func (c *carriedMonitors) run(e *eval.Evaluation) (*monitor.Binding, int64) {
	m := c.byID[e.SetupID]
	if m == nil {
		return nil, 0
	}
	r := m.Binding(e.Evaluator)
	if r == nil || isGone(r.Err) {
		return nil, 0
	}
	return r, m.Setup.Generation
}

// carriedBy returns the compiled setups that a resource carries. Those of known,
// by their packed form, are not compiled again: many resources carry the same.
func (p *monitorProcessor) carriedBy(r pcommon.Resource, known map[string]*carriedMonitors) (*carriedMonitors, error) {
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
