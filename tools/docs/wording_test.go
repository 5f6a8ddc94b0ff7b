// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shortest is the length of the shortest string that counts as a text. Shorter ones are names.
const shortest = 12

// notTexts are places whose strings are data, as those of tests are. Their comments are
// checked.
var notTexts = []struct{ path, why string }{
	{"internal/evaluators/", "word lists, expressions, and examples of texts to judge"},
	{"internal/store/", "SQL of the table and the columns named owed"},
	{"tools/accuracy/", "texts to judge"},
	{"tools/models/", "texts to judge"},
}

// unread is left out: the write path of DuckDB is being rewritten.
const unread = "internal/store/duckdb/"

// privateOf returns the private words in the comments and strings of a Go file, with their
// lines. A comment may name what the code calls by such a word.
func privateOf(source string, texts bool) (list []string, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	names, tags := map[string]bool{}, map[*ast.BasicLit]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			names[n.Name] = true
		case *ast.Field:
			tags[n.Tag] = true
		}
		return true
	})
	report := func(at token.Pos, word string) {
		list = append(list, fmt.Sprintf("line %d: %s", files.Position(at).Line, word))
	}
	for _, group := range file.Comments {
		first, rest, _ := strings.Cut(strings.TrimPrefix(group.Text(), "Package "), " ")
		if !names[first] {
			rest = first + " " + rest
		}
		for _, word := range private.FindAllString(rest, -1) {
			if !names[word] || !ast.IsExported(word) {
				report(group.Pos(), word)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !texts || !ok || literal.Kind != token.STRING {
			_, imports := n.(*ast.ImportSpec)
			return !imports
		}
		text, err := strconv.Unquote(literal.Value)
		if tags[literal] {
			text = reflect.StructTag(text).Get("doc")
		}
		if word := private.FindString(text); err == nil && len(text) >= shortest && word != "" {
			report(literal.Pos(), word)
		}
		return true
	})
	return list, nil
}

func TestSourcesAreInPlainLanguage(t *testing.T) {
	t.Parallel()
	names, err := filesOf(root, ".go")
	require.NoError(t, err)
	require.Contains(t, names, "internal/cli/help.go")
	for _, name := range names {
		if strings.HasPrefix(name, unread) {
			continue
		}
		texts := !strings.HasSuffix(name, "_test.go")
		for _, data := range notTexts {
			texts = texts && !strings.HasPrefix(name, data.path)
		}
		list, err := privateOf(read(t, name), texts)
		require.NoError(t, err, name)
		assert.Empty(t, list, name)
	}
}

// quotedTexts matches the strings of TypeScript that are no names.
var quotedTexts = regexp.MustCompile("\"(?:[^\"\\\\\n]|\\\\.){12,}\"|`[^`\n]{12,}`")

func TestTextsOfTheWebUIAreInPlainLanguage(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(root, "ui/src/texts*.ts"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, text := range quotedTexts.FindAllString(string(source), -1) {
			require.NotRegexp(t, private, text, path)
		}
	}
}

func TestPrivateWordsAreFound(t *testing.T) {
	t.Parallel()
	const source = `package p

// told is fine, what it was told is not.
const told = "it was told anew" // Owed is a type, owed is none

// X is beside it.
type X struct {
	Owed Owed ` + "`json:\"owed\" doc:\"What is owed to it.\"`" + `
}

const name = "owed"
`
	list, err := privateOf(source, true)
	require.NoError(t, err)
	require.Equal(t, []string{"line 3: told", "line 4: owed", "line 6: beside", "line 4: told", "line 8: owed"}, list)
	list, err = privateOf(source, false)
	require.NoError(t, err)
	require.Equal(t, []string{"line 3: told", "line 4: owed", "line 6: beside"}, list)
}
