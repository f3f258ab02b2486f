package io.millrace.core.config;

/** Whom the savepoint or checkpoint belongs to with which a job starts. */
public enum ClaimMode {
  /** To the user: the job never deletes it, and its own checkpoints do not refer to its files. */
  NO_CLAIM,
  /** To the job, which deletes it when it has a checkpoint of its own. */
  CLAIM
}
