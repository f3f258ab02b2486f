/**
 * The metrics of a task. The step of the task writes them, any thread reads them as {@link
 * io.millrace.task.TaskCounters}.
 */
package io.millrace.dataplane.metrics;
