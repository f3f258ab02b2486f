package io.millrace.core.config;

/** What happens to the last checkpoint when a job is cancelled or fails. */
public enum CheckpointRetention {
  /** It is kept. The user deletes it, or starts a job from it. */
  RETAIN_ON_CANCELLATION,
  /** It is deleted when the job is cancelled, and kept when it fails. */
  DELETE_ON_CANCELLATION,
  /** It is deleted in both cases. */
  NO_EXTERNALIZED_CHECKPOINTS
}
