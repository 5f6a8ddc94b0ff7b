// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/yaml"
)

// wantedSetup is a setup of a file.
type wantedSetup struct {
	externalID string
	body       json.RawMessage // as the API takes it
	canonical  map[string]any
}

// readSetups reads the setups of files. Every setup has an external_id, and no
// two have the same.
func readSetups(files []string) ([]wantedSetup, error) {
	var all []wantedSetup
	from := make(map[string]string)
	for _, file := range files {
		text, err := os.ReadFile(file) //nolint:gosec // the user named it
		if err != nil {
			return nil, usage("%s cannot be read: %w", file, err)
		}
		items, err := itemsOf(text, "setup")
		if err != nil {
			return nil, usage("%s: %w", file, err)
		}
		for i, item := range items {
			id := externalIDOf(item)
			if id == "" {
				return nil, usage("%s: setup %d has no external_id", file, i+1)
			}
			if other, ok := from[id]; ok {
				return nil, usage("%s: external_id %q is in %s too", file, id, other)
			}
			from[id] = file
			body, err := bodyOf(item)
			if err != nil {
				return nil, usage("%s: setup %q %w", file, id, err)
			}
			all = append(all, wantedSetup{id, body, canonical(item)})
		}
	}
	return all, nil
}

// externalIDOf returns the external_id of a setup, which one for an entity need not
// name, and nothing if it has none.
func externalIDOf(item map[string]any) string {
	id, _ := item["external_id"].(string)
	if kind, ok := item["entity_type"].(string); ok && id == "" {
		value, _ := item["entity_value"].(string)
		id = kind + ":" + value
	}
	return id
}

// bodyOf returns a setup as the API takes it.
func bodyOf(item map[string]any) (json.RawMessage, error) {
	if err := asRequest(item); err != nil {
		return nil, err
	}
	if err := checkFields(item); err != nil {
		return nil, err
	}
	body, err := json.Marshal(item)
	if err != nil {
		return nil, fmt.Errorf("cannot be written as JSON: %w", err)
	}
	return body, nil
}

// asRequest writes a setup as the API takes it where the file has it as the API answers
// it, with its rules in init_rules.
func asRequest(item map[string]any) error {
	rules, ok := item["init_rules"]
	if !ok {
		return nil
	}
	if _, ok := item["selector"]; ok {
		return errors.New("has selector and init_rules: one of them says which spans it is about")
	}
	delete(item, "init_rules")
	item["selector"] = rules
	return nil
}

// itemsOf returns the objects of one YAML or JSON text, by what one of them is called.
func itemsOf(text []byte, noun string) ([]map[string]any, error) {
	var v any
	if err := yaml.UnmarshalStrict(text, &v); err != nil {
		return nil, fmt.Errorf("is neither YAML nor JSON: %s", strings.TrimPrefix(err.Error(), "error converting YAML to JSON: "))
	}
	if object, ok := v.(map[string]any); ok {
		if list, ok := object[noun+"s"]; ok {
			v = list
		} else {
			v = []any{object}
		}
	}
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		article := "a"
		if strings.HasPrefix(noun, "a") {
			article = "an"
		}
		return nil, fmt.Errorf("must hold %[2]s %[1]s, a list of %[1]ss or {%[1]ss: [...]}", noun, article)
	}
	items := make([]map[string]any, len(list))
	for i, one := range list {
		if items[i], ok = one.(map[string]any); !ok {
			return nil, fmt.Errorf("%s %d is not an object", noun, i+1)
		}
	}
	return items, nil
}
