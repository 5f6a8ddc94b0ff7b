// SPDX-License-Identifier: Apache-2.0

package clickhousetest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ClickHouse/ch-go/compress"
)

// serveMain is the process that serves. It returns its exit code when its standard
// input ends.
func serveMain() int {
	if err := listen(); err != nil {
		_, _ = fmt.Fprintln(os.Stdout, "error:", err)
		return 1
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// listen serves in the background.
func listen() error {
	if size := os.Getenv(diskEnv); size != "" {
		if err := mountDisk(os.Getenv(dataEnv), size); err != nil {
			return err
		}
	}
	l, err := open(os.Getenv(processEnv), os.Getenv(dataEnv))
	if err != nil {
		return err
	}
	if l.config, err = configured(l.data); err != nil {
		return err
	}
	s := &server{library: l, idle: map[string][]*connection{}}
	first, err := l.connection() // while it is open the data are
	if err != nil {
		return err
	}
	version, _, err := first.run("SELECT version()")
	if err != nil {
		return err
	}
	s.version = regexp.MustCompile(`[0-9]+(\.[0-9]+)+`).FindString(string(version))
	at, err := net.Listen("tcp", cmp.Or(os.Getenv(addressEnv), "127.0.0.1:0"))
	if err != nil {
		return err
	}
	go func() { _ = http.Serve(at, s) }() // it ends with the process
	_, err = fmt.Fprintln(os.Stdout, said+at.Addr().String())
	return err
}

// server speaks the part of ClickHouse's HTTP interface that its Go client does.
// https://clickhouse.com/docs/interfaces/http
type server struct {
	library *library
	version string

	mu   sync.Mutex
	idle map[string][]*connection // by the database and settings that they have
}

// helloQuery is what the client asks first.
const helloQuery = "SELECT displayName(), version(), revision(), timezone()"

// insertFormat is what the client's INSERT ends with; the engine takes the format
// as a parameter.
var insertFormat = regexp.MustCompile(`(?i)\s+FORMAT\s+Native\s*$`)

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, of, err := s.answer(r)
	if err == nil && r.URL.Query().Get("compress") == "1" {
		answer, err = compressed(answer)
	}
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set(summaryHeader, fmt.Sprintf(`{"read_rows":"%d","read_bytes":"%d"}`, of.rows, of.bytes))
	_, _ = w.Write(answer)
}

// summaryHeader says what a statement read.
// https://clickhouse.com/docs/interfaces/http
const summaryHeader = "X-ClickHouse-Summary"

// exceptionCode finds the code in the text of an exception.
var exceptionCode = regexp.MustCompile(`Code: ([0-9]+)`)

func fail(w http.ResponseWriter, err error) {
	if code := exceptionCode.FindStringSubmatch(err.Error()); code != nil && !strings.Contains(err.Error(), "e.displayText()") { // which old servers write, without the header
		w.Header().Set("X-ClickHouse-Exception-Code", code[1])
	}
	w.WriteHeader(http.StatusInternalServerError)
	_, _ = io.WriteString(w, err.Error())
}

// answer returns the answer to a request in the Native format, and what was read for it.
func (s *server) answer(r *http.Request) ([]byte, read, error) {
	data := dataOf(r)
	statement := r.URL.Query().Get("query")
	if statement == "" {
		text, err := all(data)
		if err != nil {
			return nil, read{}, err
		}
		statement, data = string(text), bytes.NewReader(nil)
	}
	if statement == helloQuery {
		answer, err := hello(s.version)
		return answer, read{}, err
	}
	c, setting, err := s.take(r)
	if err != nil {
		return nil, read{}, err
	}
	defer s.give(c, setting)
	if insert, is := withoutFormat(statement); is {
		return nil, read{}, c.store(insert, data)
	}
	return c.run(statement)
}

// withoutFormat returns an INSERT without its format, and whether it is one. The format is
// looked for at the end alone: statements have megabytes.
func withoutFormat(statement string) (insert string, is bool) {
	const longest = 64
	end := max(0, len(statement)-longest)
	at := insertFormat.FindStringIndex(statement[end:])
	if at == nil {
		return statement, false
	}
	return statement[:end+at[0]], true
}

// dataOf returns what a request carries.
func dataOf(r *http.Request) io.Reader {
	if r.URL.Query().Get("decompress") == "1" {
		return compress.NewReader(r.Body)
	}
	return r.Body
}

// all reads to the end.
func all(r io.Reader) ([]byte, error) {
	var text bytes.Buffer // which grows in fewer steps than io.ReadAll
	_, err := text.ReadFrom(r)
	if errors.Is(err, io.EOF) { // the reader of what is compressed wraps the one at the end
		err = nil
	}
	return text.Bytes(), err
}

// compressed returns data in the blocks of ClickHouse's own compression.
func compressed(data []byte) ([]byte, error) {
	var all bytes.Buffer
	w := compress.NewWriter(0, compress.LZ4)
	for block := range slices.Chunk(data, 1<<20) {
		if err := w.Compress(block); err != nil {
			return nil, err
		}
		all.Write(w.Data)
	}
	return all.Bytes(), nil
}

// control are the parameters of a request that are no settings.
var control = []string{
	"query", "default_format", "client_protocol_version", "compress", "decompress", "query_id",
	"network_compression_method", "wait_end_of_query", "cancel_http_readonly_queries_on_client_close",
}

// take returns a connection with the database and the settings of a request, and
// what they are.
func (s *server) take(r *http.Request) (*connection, string, error) {
	var set []string
	var use string
	for name, values := range r.URL.Query() {
		switch {
		case name == "database":
			use = values[0]
		case !slices.Contains(control, name):
			set = append(set, name+" = "+quoted(values[0]))
		}
	}
	slices.Sort(set)
	setting := strings.Join(set, ", ")
	key := use + " " + setting
	s.mu.Lock()
	if list := s.idle[key]; len(list) > 0 {
		s.idle[key] = list[:len(list)-1]
		s.mu.Unlock()
		return list[len(list)-1], key, nil
	}
	s.mu.Unlock()
	c, err := s.library.connection()
	if err != nil {
		return nil, "", err
	}
	if use != "" {
		_, _, err = c.run("USE `" + use + "`")
	}
	if err == nil && setting != "" {
		_, _, err = c.run("SET " + setting)
	}
	if err != nil {
		c.end()
		return nil, "", err
	}
	return c, key, nil
}

// mostIdle is how many connections are kept of one database and its settings.
const mostIdle = 2

// give takes a connection back.
func (s *server) give(c *connection, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.idle[key]) < mostIdle {
		s.idle[key] = append(s.idle[key], c)
		return
	}
	c.end()
}

// quoted returns a literal of a text.
func quoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}
