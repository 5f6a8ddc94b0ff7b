// SPDX-License-Identifier: Apache-2.0

package injection

import (
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

// openingMarks are what whole conversations begin with, as a model is given
// them: marks inside of such a text are its own.
var openingMarks = []string{
	"<|im_start|>system", "<|im_start|>user", "<|begin_of_text|>", "<|start_header_id|>", "<s>[INST]", "<s> [INST]", "[INST]", "<bos><start_of_turn>",
	"<start_of_turn>user", "<|system|>", "<|user|>",
}

// ForgedMark reports whether a text that is no whole conversation has a mark
// of one.
func ForgedMark(text string) bool {
	head := strings.TrimSpace(text[:min(len(text), 200)])
	for _, mark := range openingMarks {
		if strings.HasPrefix(head, mark) {
			return false
		}
	}
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
	{"위의", "무시"},
	{"이전", "무시"},
	{"忘れ", "命令"},
	{"無視", "プロンプト"},
	{"忽略", "前面"},
	{"無視", "上記"},
	// Ukrainian.
	{"гноруй", "інструкції"},
	{"гноруй", "вказівки"},
	{"абудь", "всі інструкції"},
	{"абудь", "попередні інструкції"},
	// Arabic.
	{"تجاهل", "التعليمات"},
	{"تجاهل", "تعليمات"},
	{"تجاهل", "الأوامر"},
	{"تجاهل", "أعلاه"},
	{"انس", "التعليمات"},
	{"انس", "تعليمات"},
	// Persian and Hebrew.
	{"نادیده", "دستور"},
	{"فراموش", "دستورالعمل"},
	{"התעלם", "ההוראות"},
	{"התעלם", "הנחיות"},
	{"התעלם", "ההנחיות"},
	{"שכח", "ההוראות"},
	// Hindi and Bengali.
	{"निर्देश", "अनदेखा"},
	{"निर्देश", "नज़रअंदाज़"},
	{"निर्देश", "नजरअंदाज"},
	{"निर्देश", "उपेक्षा"},
	{"निर्देश", "भूल जा"},
	{"आदेश", "अनदेखा"},
	{"निर्देश", "ध्यान न दें"},
	{"নির্দেশ", "উপেক্ষা"},
	{"নির্দেশ", "ভুলে যা"},
	{"নির্দেশ", "অগ্রাহ্য"},
	// Thai.
	{"เพิกเฉย", "คำสั่ง"},
	{"ละเว้น", "คำสั่ง"},
	{"ไม่สนใจ", "คำสั่ง"},
	{"ลืม", "คำสั่ง"},
	{"เพิกเฉย", "คำแนะนำ"},
	{"ละเว้น", "คำแนะนำ"},
}

// together is the distance in bytes at which two parts are of one phrase.
const together = 60

// UnspacedOverride reports whether a text has both parts of an order to ignore instructions
// in one of those languages.
func UnspacedOverride(text string) bool {
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

// HiddenText reports whether a text holds a message that no reader can see.
func HiddenText(text string) bool {
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
