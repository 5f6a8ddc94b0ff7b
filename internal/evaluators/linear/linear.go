// SPDX-License-Identifier: Apache-2.0

// Package linear judges texts with small linear models: words and pieces of
// words, hashed, each with a weight of one byte. It reads text the way people
// do rather than the way they spell it: case, accents, invisible characters,
// look-alike letters and digits in place of letters make no difference.
//
// A model is immutable and safe for concurrent use. It works in constant
// memory and in time proportional to the text, whatever the text is.
package linear

// Passage is the length in bytes up to which a text is judged as one, where a
// model has no other. Longer texts are judged passage by passage, so that one
// bad sentence cannot hide in a long good text; from half of it on, the end of
// a sentence ends a passage. Short passages overlap, see Overlap.
const Passage = 800
