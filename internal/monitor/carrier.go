// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"slices"
	"strings"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Carry puts evaluations on a span's attributes: whole, under one reserved key
// for the span store, and the outputs of the finished ones as
// evaluation.<slug>.<output>, typed, for the components in between.
func Carry(attributes pcommon.Map, evaluations []eval.Evaluation) {
	if len(evaluations) == 0 {
		return
	}
	var room [16]int
	shown := lastDone(room[:0], evaluations)
	outputs := 1
	for _, i := range shown {
		outputs += len(evaluations[i].Outputs)
	}
	attributes.EnsureCapacity(attributes.Len() + outputs)
	carrier, ok := attributes.Get(tenant.AttributeEvaluations)
	packed := packs.Get().(*[]byte) //nolint:forcetypeassert // ours
	*packed = (*packed)[:0]
	if !ok || carrier.Type() != pcommon.ValueTypeBytes || carrier.Bytes().Len() == 0 || carrier.Bytes().At(0) != carrierVersion {
		var before []eval.Evaluation
		if ok { // by another release
			before = Carried(attributes)
		}
		carrier = attributes.PutEmpty(tenant.AttributeEvaluations)
		carrier.SetEmptyBytes()
		*packed = pack(append(*packed, carrierVersion), before)
	} // else an earlier monitor processor's
	*packed = pack(*packed, evaluations)
	carrier.Bytes().Append(*packed...)
	if cap(*packed) <= maxKeptPack {
		packs.Put(packed)
	}
	for _, i := range shown {
		show(attributes, &evaluations[i])
	}
}

// maxKeptPack is how large a buffer, in bytes, is kept for the next span.
const maxKeptPack = 64 << 10

// packs are buffers to pack in.
var packs = sync.Pool{New: func() any { return new([]byte) }}

// lastDone adds to places that of the last finished evaluation of each evaluator: the
// outputs of the others would be shown and overwritten.
func lastDone(places []int, evaluations []eval.Evaluation) []int {
next:
	for i := range evaluations {
		if evaluations[i].Status != eval.Done {
			continue
		}
		for j, other := range places {
			if showSame(&evaluations[other], &evaluations[i]) {
				places[j] = i
				continue next
			}
		}
		places = append(places, i)
	}
	return places
}

// showSame reports whether two evaluations are shown under the same keys.
func showSame(a, b *eval.Evaluation) bool {
	return a.Evaluator == b.Evaluator && slices.EqualFunc(a.Outputs, b.Outputs, func(x, y eval.Output) bool { return x.Name == y.Name })
}

// CarryAnew is Recarry where evaluations may have other names, or say something else,
// than what is shown.
func CarryAnew(attributes pcommon.Map, evaluations []eval.Evaluation) {
	attributes.RemoveIf(func(key string, _ pcommon.Value) bool { return strings.HasPrefix(key, tenant.EvaluationPrefix) })
	Recarry(attributes, evaluations)
}

// Recarry puts evaluations on a span's attributes in place of those that are
// carried there.
func Recarry(attributes pcommon.Map, evaluations []eval.Evaluation) {
	attributes.Remove(tenant.AttributeEvaluations)
	Carry(attributes, evaluations)
}

// CarryContent puts the digest of the stored span on its attributes, which
// evaluations that come of it are made of; 0, which is unknown, is not carried.
func CarryContent(attributes pcommon.Map, digest uint64) {
	if digest != 0 {
		attributes.PutInt(tenant.AttributeContent, int64(digest))
	}
}

// CarriedContent returns the digest that CarryContent put there, 0 where there is
// none.
func CarriedContent(attributes pcommon.Map) uint64 {
	v, ok := attributes.Get(tenant.AttributeContent)
	if !ok || v.Type() != pcommon.ValueTypeInt {
		return 0
	}
	return uint64(v.Int())
}

// show puts the outputs of one finished evaluation on a span's attributes.
func show(attributes pcommon.Map, e *eval.Evaluation) {
	for _, o := range e.Outputs {
		v := attributes.PutEmpty(tenant.EvaluationPrefix + e.Evaluator + "." + o.Name)
		switch x := o.Value.(type) {
		case string:
			v.SetStr(x)
		case bool:
			v.SetBool(x)
		case int64:
			v.SetInt(x)
		case float64:
			v.SetDouble(x)
		}
	}
}

// Carried returns the evaluations that Carry put there; of a carrier that
// something else has damaged, those before the damage. They may be read after
// the attributes are gone.
func Carried(attributes pcommon.Map) []eval.Evaluation {
	v, ok := attributes.Get(tenant.AttributeEvaluations)
	if !ok || v.Type() != pcommon.ValueTypeBytes {
		return nil
	}
	packed, known := opened(string(v.Bytes().AsRaw()))
	if !known {
		return nil
	}
	evaluations, _ := unpack(packed)
	return evaluations
}
