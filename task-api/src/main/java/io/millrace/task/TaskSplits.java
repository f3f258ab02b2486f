package io.millrace.task;

/**
 * The splits of a task that reads a source, or that enumerates and assigns them.
 *
 * @param enumerator whether the task assigns splits; else it reads them
 * @param assigned how many the reader got, or the enumerator assigned, since the task started
 * @param pending how many the reader has and has not read to the end, or the enumerator has found
 *     and not assigned
 */
public record TaskSplits(boolean enumerator, long assigned, long pending) {}
