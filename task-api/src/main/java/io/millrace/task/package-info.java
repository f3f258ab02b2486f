/**
 * The interface between a TaskManager and its data plane. {@link io.millrace.task.TaskHost} is the
 * entry: {@code worker} calls it with a {@link io.millrace.task.Deployment} and gets states,
 * counters and collected records through a {@link io.millrace.task.TaskListener}. {@code dataplane}
 * implements it with threads and sockets, {@code sim} with events in virtual time.
 *
 * <p>This is a module of its own because it has two users that must not know each other. The
 * control plane ({@code protocol}, {@code control}, {@code worker}, {@code rest}) needs the values
 * but no thread and no network library. The data plane needs the values but no RPC message. Both
 * depend on this module, this module depends on {@code graph} alone, and {@code graph} knows
 * nothing about running tasks.
 *
 * <p>All types are immutable values or interfaces. A change here changes messages between
 * processes.
 *
 * <p>Programs do not use this package directly.
 */
package io.millrace.task;
