// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf8"
)

// forgedMarks are what chat templates put between messages: a user who writes
// one pretends to be another.
var forgedMarks = []string{
	"<|im_start|>system", "<|im_start|>assistant", "<|im_end|>", "<|system|>", "<<SYS>>", "[/INST]",
	"<|start_header_id|>system", "<|eot_id|>", "<start_of_turn>model",
}

func forgedMark(text string) bool {
	for _, mark := range forgedMarks {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// unspacedOverrides are overrides in languages without spaces between words
// or with words that change their endings: two parts that stand together.
var unspacedOverrides = [][2]string{
	{"忽略", "指令"},
	{"忽略", "指示"},
	{"忽略", "提示"},
	{"忽略", "以上"},
	{"无视", "指令"},
	{"忘记", "指令"},
	{"忘记", "指示"},
	{"忽視", "指示"},
	{"忽略", "規則"},
	{"無視", "指示"},
	{"無視", "命令"},
	{"忘れ", "指示"},
	{"무시", "지시"},
	{"무시", "명령"},
	{"잊", "지시"},
}

// together is the distance in bytes at which two parts are of one phrase.
const together = 60

func unspacedOverride(text string) bool {
	for _, parts := range unspacedOverrides {
		for from := 0; ; {
			i := strings.Index(text[from:], parts[0])
			if i < 0 {
				break
			}
			i += from
			from = i + len(parts[0])
			if strings.Contains(text[max(0, i-together):min(len(text), from+together)], parts[1]) {
				return true
			}
		}
	}
	return false
}

// invisibleRun is the number of invisible characters in a row from which they are a
// message: flags and joined emoji need fewer.
const invisibleRun = 8

// hiddenText reports whether a text holds a message that no reader can see.
func hiddenText(text string) bool {
	run := 0
	for _, r := range text {
		if r < utf8.RuneSelf || !unicode.In(r, unicode.Cf, unicode.Variation_Selector) {
			run = 0
			continue
		}
		if run++; run == invisibleRun {
			return true
		}
	}
	return false
}

// shortestBlob is the length from which a run of letters and digits may be a
// text in base64: no word of a language is as long.
const shortestBlob = 24

// decodedBlobs gives the texts that are encoded in base64, one in a line.
func decodedBlobs(text string) string {
	var decoded []byte
	for i := 0; i < len(text); {
		if !inBlob(text[i]) {
			i++
			continue
		}
		end := i
		for end < len(text) && inBlob(text[end]) {
			end++
		}
		if end-i >= shortestBlob {
			decoded = appendBlob(decoded, text[i:end])
		}
		i = end
	}
	return string(decoded)
}

func inBlob(b byte) bool {
	return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9' || b == '+' || b == '/' || b == '-' || b == '_'
}

// appendBlob appends what a blob holds, if that is readable.
func appendBlob(decoded []byte, blob string) []byte {
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(blob, "-_") {
		encoding = base64.RawURLEncoding
	}
	if len(blob)%4 == 1 {
		return decoded
	}
	start := len(decoded)
	decoded, err := encoding.AppendDecode(decoded, []byte(blob))
	if err != nil || !readable(decoded[start:]) {
		return decoded[:start]
	}
	return append(decoded, '\n')
}

func readable(text []byte) bool {
	if !utf8.Valid(text) {
		return false
	}
	for _, b := range text {
		if b < ' ' && b != '\n' && b != '\r' && b != '\t' || b == 0x7f {
			return false
		}
	}
	return true
}
