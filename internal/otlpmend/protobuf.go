// SPDX-License-Identifier: Apache-2.0

package otlpmend

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/touchstone-otel/touchstone/internal/otlpbound"
)

// ids is a message that has ids, or messages with ids: what its fields are, by
// number.
type ids struct {
	size  map[protowire.Number]int // of an id, in bytes
	below map[protowire.Number]*ids
}

var binaryRequests = [...]*ids{
	otlpbound.Traces: within(2, &ids{
		size:  map[protowire.Number]int{1: 16, 2: 8, 4: 8},
		below: map[protowire.Number]*ids{13: {size: map[protowire.Number]int{1: 16, 2: 8}}},
	}),
	otlpbound.Logs: within(2, &ids{size: map[protowire.Number]int{9: 16, 10: 8}}),
	// Ids of metrics are those of exemplars, which no one keeps.
	otlpbound.Metrics: {},
}

// within returns the message of a request whose records, in the field of a
// scope's group that this is, have ids.
func within(records protowire.Number, record *ids) *ids {
	scopes := &ids{below: map[protowire.Number]*ids{records: record}}
	groups := &ids{below: map[protowire.Number]*ids{2: scopes}}
	return &ids{below: map[protowire.Number]*ids{1: groups}}
}

var errWire = errors.New("the request is malformed")

// Protobuf returns b, a request in the binary encoding, without the ids that
// have another length than ids have, and counts those in m.
func Protobuf(s otlpbound.Signal, b []byte, m *Mended) ([]byte, error) {
	return without(b, binaryRequests[s], make([]byte, 0, len(b)), m)
}

// without appends to out a message without its broken ids.
func without(b []byte, is *ids, out []byte, m *Mended) ([]byte, error) {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, errWire
		}
		length := protowire.ConsumeFieldValue(number, kind, b[n:])
		if length < 0 {
			return nil, errWire
		}
		whole, below, size := b[:n+length], is.below[number], is.size[number]
		b = b[n+length:]
		if kind != protowire.BytesType || below == nil && size == 0 {
			out = append(out, whole...)
			continue
		}
		value, _ := protowire.ConsumeBytes(whole[n:])
		if below == nil {
			if len(value) == 0 || len(value) == size {
				out = append(out, whole...)
			} else {
				m[Broken]++
			}
			continue
		}
		mended, err := without(value, below, make([]byte, 0, len(value)), m)
		if err != nil {
			return nil, err
		}
		out = protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), mended)
	}
	return out, nil
}
