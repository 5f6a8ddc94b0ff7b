// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"encoding/json"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// maxCarriedSetups is how many bytes of setups are read, far more than all
// setups of an environment come to.
const maxCarriedSetups = 64 << 20

// carriedSetups is what stands under AttributeSetups, as JSON.
type carriedSetups struct {
	Setups  []carriedSetup
	Customs []eval.Custom
}

// carriedSetup is a setup with the configurations of its evaluators apart, as
// bytes: they need not be JSON to be carried.
type carriedSetup struct {
	Setup
	Configs [][]byte
}

// CarrySetups puts setups and the custom evaluators that they have on a
// resource, for who judges its spans and has no store.
func CarrySetups(resource pcommon.Map, setups []Setup, customs []eval.Custom) {
	all := carriedSetups{Customs: customs, Setups: make([]carriedSetup, len(setups))}
	for i := range setups {
		all.Setups[i] = carry(setups[i])
	}
	packed, err := json.Marshal(all)
	if err != nil { // a number that is not finite, which no setup has
		packed = nil
	}
	resource.PutEmptyBytes(tenant.AttributeSetups).FromRaw(packed)
}

func carry(s Setup) carriedSetup {
	c := carriedSetup{Setup: s, Configs: make([][]byte, len(s.Evaluators))}
	c.Evaluators = append([]SetupEvaluator(nil), s.Evaluators...)
	for i := range c.Evaluators {
		c.Configs[i], c.Evaluators[i].Config = c.Evaluators[i].Config, nil
	}
	return c
}

// CarriedSetups gives what CarrySetups put on a resource. The error is a fault
// of kind Invalid: nothing is there, or something else has damaged it.
func CarriedSetups(resource pcommon.Map) ([]Setup, []eval.Custom, error) {
	v, ok := resource.Get(tenant.AttributeSetups)
	if !ok || v.Type() != pcommon.ValueTypeBytes {
		return nil, nil, fault.New(fault.Invalid, "resource attribute %q is missing", tenant.AttributeSetups)
	}
	return UnpackSetups(v.Bytes().AsRaw())
}

// UnpackSetups is CarriedSetups for the bytes of the attribute.
func UnpackSetups(packed []byte) ([]Setup, []eval.Custom, error) {
	damaged := fault.New(fault.Invalid, "resource attribute %q is damaged", tenant.AttributeSetups)
	if len(packed) > maxCarriedSetups {
		return nil, nil, damaged
	}
	var all carriedSetups
	if err := json.Unmarshal(packed, &all); err != nil {
		return nil, nil, damaged
	}
	setups := make([]Setup, len(all.Setups))
	for i := range all.Setups {
		c := &all.Setups[i]
		if len(c.Configs) != len(c.Evaluators) || c.Selector.Validate("selector") != nil {
			return nil, nil, damaged
		}
		for j := range c.Evaluators {
			c.Evaluators[j].Config = nil
			if len(c.Configs[j]) > 0 {
				c.Evaluators[j].Config = c.Configs[j]
			}
		}
		setups[i] = c.Setup
	}
	return setups, all.Customs, nil
}
