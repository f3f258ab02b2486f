/**
 * Tasks. {@link io.millrace.dataplane.task.RunningDeployment} is the entry: it builds a {@link
 * io.millrace.dataplane.task.Task} for each subtask of a deployment and connects them. A task runs
 * its operator chain in steps on the core threads, polls its input and reports its state. {@code
 * TaskCheckpoints} takes its snapshots. All fields of a task belong to its step; the class says
 * which methods other threads may call.
 */
package io.millrace.dataplane.task;
