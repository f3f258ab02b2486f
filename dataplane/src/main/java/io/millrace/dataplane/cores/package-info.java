/**
 * Cooperative scheduling of many tasklets on few threads. {@link
 * io.millrace.dataplane.cores.CoreScheduler} is the entry and owns one {@code Core} per CPU. A
 * {@link io.millrace.dataplane.cores.Tasklet} runs one step at a time on any core and uses no
 * thread while it waits. A step that blocks or runs long gives its core to another thread and
 * continues on its own thread.
 */
package io.millrace.dataplane.cores;
