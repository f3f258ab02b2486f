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
public record SavepointRequest(JobId job, Optional<String> directory) {
  public SavepointRequest {
    Objects.requireNonNull(job);
    Objects.requireNonNull(directory);
  }
}
