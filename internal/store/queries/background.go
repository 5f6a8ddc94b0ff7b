// SPDX-License-Identifier: Apache-2.0

package queries

import "runtime"

// inBackground calls do on a thread of its own that comes after all others where
// processors are short, if the system has such. An engine in this process looks
// through what it has on the thread that asks.
func inBackground(do func()) {
	var failed any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { failed = recover() }()
		runtime.LockOSThread()
		if isMainThread() { // whose priority is shown as the process's, and which never ends
			defer runtime.UnlockOSThread()
			inBackground(do)
			return
		}
		// It is never unlocked: the thread ends with the goroutine.
		yieldToOthers()
		do()
	}()
	<-done
	if failed != nil {
		panic(failed) // where the caller looks after it
	}
}
