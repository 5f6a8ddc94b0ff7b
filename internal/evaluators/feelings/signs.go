// SPDX-License-Identifier: Apache-2.0

package feelings

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// shown has emoji that show a feeling, and emoticons as they are typed, by the word that says
// it. What is as often meant for something else (a flame, a thinking face) is not among them.
var shown = map[string]string{
	" angry":      "😠 😡 🤬 😤 👿 💢 🖕 >:( >:-(",
	" annoyed":    "🙄 😒 👎",
	" disgusting": "🤢 🤮",
	" scared":     "😨 😰 😱 🙀",
	" happy": "😀 😃 😄 😁 😆 😊 🙂 😺 😸 😉 😇 🥳 🎉 🤩 😎 😌 ☺ 😋 🤗 👍 🙌 👏 🥰 😍 😻 😘 💕 💖 💗 💓 💞 💝 ❤ ♥ " +
		":) :-) =) (: :D :-D =D ;) ;-) ^^ <3",
	" lol":       "😂 🤣 😹 😅 XD xD",
	" sad":       "😢 😭 😞 😔 🙁 ☹ 😿 💔 😥 🥺 😟 😩 😫 😖 😣 😪 :( :-( =( :'( :,( ;( ;-( T_T </3",
	" surprised": "😮 😯 😲 😳 🤯 😦 😧 :O :-O :o :-o",
}

// wordsOfSigns are the words for emoji, and those for emoticons.
type wordsOfSigns struct {
	emoji     map[rune]string
	emoticons map[string]string
}

var signs = sync.OnceValue(func() wordsOfSigns {
	all := wordsOfSigns{emoji: map[rune]string{}, emoticons: map[string]string{}}
	for word, text := range shown {
		for sign := range strings.FieldsSeq(text) {
			if r, size := utf8.DecodeRuneInString(sign); size == len(sign) && size > 1 {
				all.emoji[r] = word
			} else {
				all.emoticons[sign] = word
			}
		}
	}
	return all
})

const (
	// longestSign is the length of the longest emoticon in bytes.
	longestSign = 4
	// spaces are what emoticons stand between.
	spaces = " \t\r\n"
)

// Shown returns the words for the feelings that the emoji and emoticons of a text show, each
// once with a space before it; "" for none.
func Shown(text string) string {
	var words []string
	add := func(word string) {
		if word != "" && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	begin := 0 // of what has no space in it
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case strings.IndexByte(spaces, c) >= 0:
			add(emoticon(text[begin:i]))
			i++
			begin = i
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(text[i:])
			add(signs().emoji[r])
			i += size
		default:
			i++
		}
	}
	add(emoticon(text[begin:]))
	return strings.Join(words, "")
}

// emoticon returns the word for one, "" for anything else.
func emoticon(text string) string {
	if len(text) > longestSign {
		return ""
	}
	return signs().emoticons[text]
}
