package io.millrace.dataplane.exchange;

import io.millrace.task.checkpoint.CheckpointRequest;

/** Hears of the alignment of checkpoint barriers, in the task's step. */
public interface AlignmentListener {
  /** The first barrier of a checkpoint has arrived. */
  void alignmentStarted(CheckpointRequest request);

  /**
   * The barrier of a later checkpoint has arrived on a channel that will not get this one any more.
   */
  void alignmentSuperseded(CheckpointRequest request, CheckpointRequest by);
}
