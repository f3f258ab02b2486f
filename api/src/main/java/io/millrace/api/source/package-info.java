/**
 * Sources. A {@link io.millrace.api.source.Source} is divided into {@link
 * io.millrace.api.source.SourceSplit}s and has one {@link io.millrace.api.source.SourceReader} in
 * each parallel instance. Readers must not block, because many tasks share few threads: a task
 * polls its reader again if it returned MORE, or after it woke the task. A checkpoint has the
 * splits that are not completely read, with their positions; a job that goes on from it starts
 * there. The splits of an {@link io.millrace.api.source.EnumeratedSource} are found by a {@link
 * io.millrace.api.source.SplitEnumerator} and assigned to the readers while the job runs.
 */
package io.millrace.api.source;
