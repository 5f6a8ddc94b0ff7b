// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAModelSurvivesItsFile(t *testing.T) {
	t.Parallel()
	m := sized(t, 10, "apple", "badger")
	again, err := Decode(m.Encode())
	require.NoError(t, err)
	require.Equal(t, m.Classes(), again.Classes())
	require.Equal(t, m.weights, again.weights)
	label, p, _ := m.Best("a badger")
	label2, p2, _ := again.Best("a badger")
	require.Equal(t, label, label2)
	require.InDelta(t, p, p2, 0)
	require.Equal(t, m.Encode(), MustDecode(m.Encode()).Encode())
}

// sealed puts a right checksum to a body.
func sealed(body []byte) []byte {
	return binary.LittleEndian.AppendUint32(body, crc32.ChecksumIEEE(body))
}

func TestDecodeRefusesWhatIsNoModel(t *testing.T) {
	t.Parallel()
	good := sized(t, 8, "a").Encode()
	body := good[:len(good)-4]
	change := func(at int, to byte) []byte {
		c := append([]byte(nil), body...)
		c[at] = to
		return sealed(c)
	}
	flipped := append([]byte(nil), good...)
	flipped[20] ^= 1
	for about, b := range map[string][]byte{
		"not a model":             []byte("something else"),
		"empty":                   nil,
		"a flipped bit":           flipped,
		"another version":         change(4, 99),
		"too many bits":           change(5, 31),
		"too few bits":            change(5, 2),
		"passages too short":      change(7, 0),
		"no classes":              change(8, 0),
		"too many classes":        change(8, 200),
		"no label":                change(9, 0),
		"a label beyond the end":  sealed(append([]byte(magic), version, 8, 32, 3, 1, 255, 'a')),
		"a class beyond the end":  sealed(append([]byte(magic), version, 8, 32, 3, 1)),
		"too few weights":         sealed(append([]byte(nil), body[:len(body)-1]...)),
		"too many weights":        sealed(append(append([]byte(nil), body...), 0)),
		"a scale that is nothing": sealed(binary.LittleEndian.AppendUint32(append([]byte(magic), version, 8, 32, 3, 1, 1, 'a'), math.Float32bits(float32(math.NaN())))),
	} {
		_, err := Decode(b)
		require.Error(t, err, about)
	}
	require.Panics(t, func() { MustDecode(nil) })
	_, err := New(8, []Class{{Label: "a", Scale: float32(math.Inf(1))}}, make([]int8, 256))
	require.ErrorContains(t, err, "finite")
}

func FuzzDecode(f *testing.F) {
	m := sized(f, 8, "a", "b").Encode()
	f.Add(m[:len(m)-4])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := Decode(sealed(body))
		if err != nil {
			return
		}
		require.Equal(t, sealed(body), m.Encode())
		p := m.Probability("some words here")
		require.False(t, math.IsNaN(p) || p < 0 || p > 1)
	})
}
