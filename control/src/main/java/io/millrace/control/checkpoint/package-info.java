/**
 * Checkpoints of one job. {@link io.millrace.control.checkpoint.CheckpointCoordinator} is the
 * entry: it decides when a checkpoint is triggered, when it is complete, when it is given up and
 * which stored checkpoints are deleted. It is a plain object in the mailbox of the JobMaster, which
 * performs its actions.
 */
package io.millrace.control.checkpoint;
