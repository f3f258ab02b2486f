package io.millrace.client;

import io.millrace.core.id.JobId;
import java.util.Objects;
import java.util.Optional;

/**
 * A request for a savepoint of a job.
 *
 * @param directory the directory in which the savepoint gets a directory of its own; empty for the
 *     configured one
 */
public record SavepointRequest(JobId job, Optional<String> directory, Format format) {
  /** The format of a savepoint. */
  public enum Format {
    /** What every state backend reads. */
    CANONICAL,
    /** Files of the state backend, which only the same backend reads. */
    NATIVE
  }

  public SavepointRequest {
    Objects.requireNonNull(job);
    Objects.requireNonNull(directory);
    Objects.requireNonNull(format);
  }
}
