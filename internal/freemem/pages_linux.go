// SPDX-License-Identifier: Apache-2.0

package freemem

import (
	"bufio"
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A start touches most of the pages of the binary, which has a hundred megabytes of
// code and tables, and what comes after it few of them. The kernel keeps all of them
// mapped while it has memory to spare, and counts them as the process's.

// mapping is a range of addresses of the process.
type mapping struct{ from, to uint64 }

// freePages gives the pages of the binary back that no one changed. What is used
// again is found in the kernel's cache of the file.
func freePages() error {
	list, err := binaryMappings()
	for _, m := range list {
		// https://man7.org/linux/man-pages/man2/madvise.2.html
		if _, _, failed := unix.Syscall(unix.SYS_MADVISE, uintptr(m.from), uintptr(m.to-m.from), unix.MADV_DONTNEED); failed != 0 {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// binaryMappings returns the mappings of the process's binary that are not to be
// written to and of which no page differs from the file. The dynamic linker changes some
// before it makes them read-only, and a debugger can.
func binaryMappings() (list []mapping, err error) {
	binary, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return nil, err
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	var at *mapping // that lines are of, nil if it is none of these
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) >= 2 && strings.HasSuffix(fields[0], ":"):
			if at != nil && fields[0] == "Anonymous:" {
				if fields[1] == "0" {
					list = append(list, *at)
				}
				at = nil
			}
		case len(fields) >= 6:
			at = nil
			if m, ok := parseRange(fields[0]); ok && fields[1][:2] == "r-" && strings.HasSuffix(lines.Text(), " "+binary) {
				at = &m
			}
		default:
			at = nil
		}
	}
	return list, lines.Err()
}

// parseRange reads a range of addresses, as in 00400000-00452000.
func parseRange(text string) (m mapping, ok bool) {
	from, to, _ := strings.Cut(text, "-")
	var err1, err2 error
	m.from, err1 = strconv.ParseUint(from, 16, 64)
	m.to, err2 = strconv.ParseUint(to, 16, 64)
	return m, err1 == nil && err2 == nil && m.from < m.to
}
