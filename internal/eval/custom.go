// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"time"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Custom is an evaluator that a user defined: what a judge is told, what it
// gets to see and what it has to answer. It belongs to one environment.
type Custom struct {
	ID            string
	Slug          string
	EnvironmentID tenant.EnvironmentID
	Name          string
	Description   string
	// Provider names a judge of the configuration; where there is none of this
	// name, the judge that is configured for the slug is asked for Model.
	Provider string
	Model    string
	// Mode and LogProbs are kept for those who wrote them and do nothing.
	Mode     string
	LogProbs bool
	Messages []CustomMessage
	Input    []CustomField
	Output   []CustomField
	Sampling Sampling
	// Version counts from 1; VersionID is another name of the same version,
	// which no other version of any evaluator has.
	Version   int64
	VersionID string
	CreatedAt time.Time
	// UpdatedAt is when the version was made.
	UpdatedAt time.Time
}

// RoleSystem says that a message of a custom evaluator instructs the judge.
const RoleSystem Role = "system"

// CustomMessage is a message that the author of a custom evaluator wrote.
// {{name}} in it points to the input of that name.
type CustomMessage struct {
	Role    Role
	Content string
}

// CustomField is an input or an output of a custom evaluator.
type CustomField struct {
	Name        string
	Type        CustomType
	Description string
	Label       string
	// Values are those that a field of type enum may have.
	Values []string
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
