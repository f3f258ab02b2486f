package io.millrace.control.jobmaster;

import io.millrace.control.checkpoint.CheckpointProgress;
import io.millrace.core.id.JobId;
import io.millrace.protocol.text.ReasonText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs the steps of a job's checkpoints. */
final class CheckpointProgressLog {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointProgressLog.class);

  private CheckpointProgressLog() {}

  static void log(JobId job, CheckpointProgress progress) {
    if (progress instanceof CheckpointProgress.Triggered triggered) {
      LOG.info(
          "Job {}: {} {} triggered for {} tasks",
          job,
          triggered.type(),
          triggered.checkpoint(),
          triggered.tasks().size());
    } else if (progress instanceof CheckpointProgress.Completed done) {
      LOG.info(
          "Job {}: {} {} completed after {} ms with {} bytes in {}",
          job,
          done.completed().type(),
          done.checkpoint(),
          done.durationNanos() / 1_000_000,
          done.completed().bytes(),
          done.completed().directory());
    } else if (progress instanceof CheckpointProgress.Aborted aborted) {
      LOG.info(
          "Job {}: checkpoint {} aborted: {}",
          job,
          aborted.checkpoint(),
          ReasonText.of(aborted.reason()));
    } else if (progress instanceof CheckpointProgress.Abandoned abandoned) {
      LOG.warn(
          "Job {}: checkpoint {} in {} cannot be used, tasks go back to checkpoint {}: {}",
          job,
          abandoned.checkpoint(),
          abandoned.abandoned().directory(),
          abandoned.fallback(),
          abandoned.message());
    } else {
      throw new IllegalArgumentException("Unknown progress " + progress);
    }
  }
}
