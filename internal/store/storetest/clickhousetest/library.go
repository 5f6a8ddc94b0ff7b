// SPDX-License-Identifier: Apache-2.0

package clickhousetest

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library are the functions of libchdb that serving needs.
// https://github.com/chdb-io/chdb-core/blob/main/programs/local/chdb.h
type library struct {
	signals func(enabled int32)
	connect func(arguments int32, list unsafe.Pointer) unsafe.Pointer
	close   func(connection unsafe.Pointer)
	query   func(connection unsafe.Pointer, text unsafe.Pointer, length uintptr, format unsafe.Pointer, formatLength uintptr) unsafe.Pointer

	insert      func(connection unsafe.Pointer, text unsafe.Pointer, length uintptr, format unsafe.Pointer, formatLength uintptr) unsafe.Pointer
	appendTo    func(stream unsafe.Pointer, data unsafe.Pointer, length uintptr) int32
	done        func(stream unsafe.Pointer) unsafe.Pointer
	cancel      func(stream unsafe.Pointer)
	insertError func(stream unsafe.Pointer) string
	endInsert   func(stream unsafe.Pointer)

	buffer     func(result unsafe.Pointer) unsafe.Pointer
	length     func(result unsafe.Pointer) uintptr
	errorOf    func(result unsafe.Pointer) string
	rowsRead   func(result unsafe.Pointer) uint64
	bytesRead  func(result unsafe.Pointer) uint64
	freeResult func(result unsafe.Pointer)

	data, config string
}

// open loads the library for a directory of data.
func open(file, data string) (*library, error) {
	handle, err := purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	l := &library{data: data}
	for name, function := range map[string]any{
		"chdb_set_signal_handlers_enabled": &l.signals,
		"chdb_connect":                     &l.connect,
		"chdb_close_conn":                  &l.close,
		"chdb_query_n":                     &l.query,
		"chdb_stream_insert_n":             &l.insert,
		"chdb_stream_append":               &l.appendTo,
		"chdb_stream_done":                 &l.done,
		"chdb_stream_cancel_insert":        &l.cancel,
		"chdb_stream_insert_error":         &l.insertError,
		"chdb_destroy_insert_stream":       &l.endInsert,
		"chdb_result_buffer":               &l.buffer,
		"chdb_result_length":               &l.length,
		"chdb_result_error":                &l.errorOf,
		"chdb_result_storage_rows_read":    &l.rowsRead,
		"chdb_result_storage_bytes_read":   &l.bytesRead,
		"chdb_destroy_query_result":        &l.freeResult,
	} {
		purego.RegisterLibFunc(function, handle, name)
	}
	l.signals(0) // Go's are in place, and theirs would hang on what Go recovers from
	return l, nil
}

// connection runs one statement at a time.
type connection struct {
	library *library
	handle  unsafe.Pointer // of where the connection is
}

// connection returns a new connection. Those of one process share its data.
func (l *library) connection() (*connection, error) {
	var arguments [3]*byte
	for i, text := range []string{"clickhouse", "--path=" + l.data, "--config-file=" + l.config} {
		arguments[i] = &append([]byte(text), 0)[0]
	}
	handle := l.connect(int32(len(arguments)), unsafe.Pointer(&arguments))
	runtime.KeepAlive(arguments)
	if handle == nil || *(*unsafe.Pointer)(handle) == nil {
		return nil, errors.New("no connection")
	}
	return &connection{library: l, handle: handle}, nil
}

func (c *connection) end() { c.library.close(c.handle) }

// native is the format of what goes in and comes out.
const native = "Native"

// read is what a statement read from tables.
type read struct{ rows, bytes uint64 }

// run runs a statement and returns what it answers.
func (c *connection) run(statement string) ([]byte, read, error) {
	return c.answer(c.library.query(*(*unsafe.Pointer)(c.handle), bytesOf(statement), uintptr(len(statement)), bytesOf(native), uintptr(len(native))))
}

// chunkSize is how much data of an INSERT is read at once.
const chunkSize = 1 << 20

// chunks are the buffers that it is read into. A commit has megabytes: memory of that size
// that is new each time costs more than to fill it.
var chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}

// store runs an INSERT without its data, and the data as it comes. Where it cannot be read to its
// end, nothing is stored.
func (c *connection) store(statement string, data io.Reader) error {
	stream := c.library.insert(*(*unsafe.Pointer)(c.handle), bytesOf(statement), uintptr(len(statement)), bytesOf(native), uintptr(len(native)))
	defer c.library.endInsert(stream)
	if text := c.library.insertError(stream); text != "" {
		return errors.New(text)
	}
	chunk := chunks.Get().(*[chunkSize]byte)
	defer chunks.Put(chunk)
	for more := true; more; {
		n, err := full(data, chunk[:])
		if err != nil && !errors.Is(err, io.EOF) { // which the reader of what is compressed wraps
			c.library.cancel(stream)
			return err
		}
		more = err == nil
		if n > 0 && c.library.appendTo(stream, unsafe.Pointer(chunk), uintptr(n)) != 0 {
			return fmt.Errorf("append: %s", c.library.insertError(stream))
		}
	}
	_, _, err := c.answer(c.library.done(stream))
	return err
}

// full reads until a buffer is full, or until there is an error, which is io.EOF at the end.
func full(r io.Reader, buffer []byte) (n int, err error) {
	for n < len(buffer) && err == nil {
		var some int
		some, err = r.Read(buffer[n:])
		n += some
	}
	return n, err
}

// answer returns what a result has and what was read for it, and frees it.
func (c *connection) answer(result unsafe.Pointer) ([]byte, read, error) {
	if result == nil {
		return nil, read{}, errors.New("no result")
	}
	defer c.library.freeResult(result)
	if text := c.library.errorOf(result); text != "" {
		return nil, read{}, errors.New(text)
	}
	of := read{rows: c.library.rowsRead(result), bytes: c.library.bytesRead(result)}
	n := c.library.length(result)
	if n == 0 {
		return nil, of, nil
	}
	return append([]byte(nil), unsafe.Slice((*byte)(c.library.buffer(result)), n)...), of, nil
}

func bytesOf(text string) unsafe.Pointer { return unsafe.Pointer(unsafe.StringData(text)) }
