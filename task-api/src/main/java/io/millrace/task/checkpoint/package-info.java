/**
 * Checkpoints as values: what a JobMaster asks of tasks ({@link
 * io.millrace.task.checkpoint.CheckpointRequest}), what each task answers ({@link
 * io.millrace.task.checkpoint.TaskSnapshot}), what is stored of a completed checkpoint ({@link
 * io.millrace.task.checkpoint.CheckpointMetadata}) and which part of it each task of the next
 * execution restores ({@link io.millrace.task.checkpoint.StateAssignment}).
 *
 * <p>State itself is in files. Values here have only {@link
 * io.millrace.task.checkpoint.StateHandle}s, so that messages stay small. A TaskManager computes
 * the restored state of its tasks from the metadata; the JobMaster never enumerates it in a
 * message.
 *
 * <p>Programs do not use this package directly.
 */
package io.millrace.task.checkpoint;
