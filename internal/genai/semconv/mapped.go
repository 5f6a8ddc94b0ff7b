// SPDX-License-Identifier: Apache-2.0

package semconv

// Roles are what an environment may map attributes of its own to: the names under which
// documents list what attributes are read as.
func Roles() []string {
	list := make([]string, 0, Count-firstMapped)
	for a := firstMapped; a < Count; a++ {
		list = append(list, a.Role())
	}
	return list
}

// RoleOf returns the attribute that stands for all that are mapped to a role.
func RoleOf(name string) (a Attribute, ok bool) {
	a, ok = Find(mappedPrefix + name)
	return a, ok && a.IsMapped()
}

// Role returns the role that a mapped attribute stands for.
func (a Attribute) Role() string { return a.Name()[len(mappedPrefix):] }

// IsMapped reports whether an attribute stands for a role of mappings. No span has it.
func (a Attribute) IsMapped() bool { return a >= firstMapped && a < Count }

// mappedPrefix is reserved, so that no client sends such names.
const mappedPrefix = "touchstone.mapped."
