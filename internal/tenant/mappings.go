// SPDX-License-Identifier: Apache-2.0

package tenant

import "encoding/json"

// Mapping says what an attribute is read as that no convention names.
type Mapping struct {
	Attribute string `json:"attribute"`
	Role      string `json:"role"`
}

// Mappings are those of an environment as JSON, of several for one role the first first;
// "" for none.
type Mappings string

// NewMappings encodes mappings.
func NewMappings(list []Mapping) (Mappings, error) {
	if len(list) == 0 {
		return "", nil
	}
	text, err := json.Marshal(list)
	return Mappings(text), err
}

// List decodes them; what cannot be read is no mapping.
func (m Mappings) List() (list []Mapping) {
	if m == "" || json.Unmarshal([]byte(m), &list) != nil {
		return nil
	}
	return list
}
