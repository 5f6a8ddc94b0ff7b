// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"fmt"
	"time"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// CustomEvaluator is an evaluator that a user defined: the messages for a judge,
// the inputs it sees and the outputs it has to answer with. It belongs to one
// environment. Its JSON form is the one that stores keep and that processes hand
// on.
type CustomEvaluator struct {
	ID            string               `json:"id"`
	Slug          string               `json:"slug"`
	EnvironmentID tenant.EnvironmentID `json:"environment_id"`
	Name          string               `json:"name"`
	Description   string               `json:"description,omitempty"`
	// Provider names a judge of the configuration; where there is none of this
	// name, the judge that is configured for the slug is asked for Model.
	Provider string `json:"provider"`
	Model    string `json:"model"`
	// Mode and LogProbs are kept for those who wrote them and do nothing.
	Mode     string          `json:"mode,omitempty"`
	LogProbs bool            `json:"logprobs,omitempty"`
	Messages []CustomMessage `json:"messages,omitempty"`
	Input    []CustomField   `json:"input_schema,omitempty"`
	Output   []CustomField   `json:"output_schema,omitempty"`
	Sampling Sampling        `json:"sampling,omitzero"`
	// Version counts from 1; VersionID is another name of the same version,
	// which no other version of any evaluator has.
	Version   int64     `json:"version"`
	VersionID string    `json:"version_id"`
	CreatedAt time.Time `json:"created_at,omitzero"`
	// UpdatedAt is when the version was made.
	UpdatedAt time.Time `json:"updated_at,omitzero"`
}

// RoleSystem says that a message of a custom evaluator instructs the judge.
const RoleSystem Role = "system"

// CustomMessage is a message that the author of a custom evaluator wrote.
// {{name}} in it points to the input of that name.
type CustomMessage struct {
	Role    Role   `json:"role"`
	Content string `json:"content"`
}

// CustomField is an input or an output of a custom evaluator.
type CustomField struct {
	Name        string     `json:"name"`
	Type        CustomType `json:"type"`
	Description string     `json:"description,omitempty"`
	Label       string     `json:"label,omitempty"`
	// Values are those that a field of type enum may have.
	Values []string `json:"enum_values,omitempty"`
	// Passes are the values of an output with which the text passes; of a number it is one
	// bound, such as ">=0.5".
	Passes []string `json:"passes,omitempty"`
}

// CustomType is the type of a field as its author wrote it.
type CustomType string

// The types of fields of custom evaluators. Float and number are the same.
const (
	CustomString  CustomType = "string"
	CustomInt     CustomType = "int"
	CustomFloat   CustomType = "float"
	CustomNumber  CustomType = "number"
	CustomBoolean CustomType = "boolean"
	CustomEnum    CustomType = "enum"
)

// VersionName returns what the API calls the version of an evaluator, such as
// v2. That of prebuilt ones is v1: what one of these answers changes with a
// release only, and the release says so.
func (e *Evaluator) VersionName() string {
	if e.Custom == nil {
		return "v1"
	}
	return e.Custom.VersionName()
}

// VersionName returns what the API calls the version, such as v2.
func (c *CustomEvaluator) VersionName() string { return fmt.Sprintf("v%d", c.Version) }
