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
	Setups []Setup                `json:"setups"`
	Custom []eval.CustomEvaluator `json:"customs"`
}

// CarrySetups puts setups and the custom evaluators that they have on a
// resource, for who judges its spans and has no store.
func CarrySetups(resource pcommon.Map, setups []Setup, custom []eval.CustomEvaluator) {
	packed, err := json.Marshal(carriedSetups{Setups: setups, Custom: custom})
	if err != nil { // a number that is not finite, or a configuration that is no JSON: no setup has them
		packed = nil
	}
	resource.PutEmptyBytes(tenant.AttributeSetups).FromRaw(packed)
}

// CarriedSetups returns what CarrySetups put on a resource. The error is a fault
// of kind Invalid: nothing is there, or something else has damaged it.
func CarriedSetups(resource pcommon.Map) ([]Setup, []eval.CustomEvaluator, error) {
	v, ok := resource.Get(tenant.AttributeSetups)
	if !ok || v.Type() != pcommon.ValueTypeBytes {
		return nil, nil, fault.New(fault.Invalid, "resource attribute %q is missing", tenant.AttributeSetups)
	}
	return UnpackSetups(v.Bytes().AsRaw())
}

// UnpackSetups is CarriedSetups for the bytes of the attribute.
func UnpackSetups(packed []byte) ([]Setup, []eval.CustomEvaluator, error) {
	damaged := fault.New(fault.Invalid, "resource attribute %q is damaged", tenant.AttributeSetups)
	if len(packed) > maxCarriedSetups {
		return nil, nil, damaged
	}
	var all carriedSetups
	if err := json.Unmarshal(packed, &all); err != nil {
		return nil, nil, damaged
	}
	for i := range all.Setups {
		if all.Setups[i].Selector.Validate("selector") != nil {
			return nil, nil, damaged
		}
	}
	return all.Setups, all.Custom, nil
}
