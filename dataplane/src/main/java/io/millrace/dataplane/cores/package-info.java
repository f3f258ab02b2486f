/**
 * Many small tasks on few threads. {@link io.millrace.dataplane.cores.CoreScheduler} owns one
 * {@code Core} per CPU; a {@link io.millrace.dataplane.cores.Tasklet} runs on whichever core takes
 * it, one step at a time, and costs nothing while nobody wakes it. A step that blocks or runs long
 * gives its core away and goes on as a thread of its own.
 */
package io.millrace.dataplane.cores;
