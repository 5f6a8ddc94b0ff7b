// SPDX-License-Identifier: Apache-2.0

package partitions

// Held is a partition in use, and what was known of an environment in it when its
// use began.
type Held struct {
	*Partition
	Bounds
}

// ReleaseAll ends the use of partitions.
func ReleaseAll(list []Held) {
	for _, h := range list {
		h.Release()
	}
}
