package io.millrace.protocol;

import io.millrace.core.id.JobId;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import java.util.Objects;

/**
 * A stored job that has not ended.
 *
 * @param cancelled whether a cancellation was acknowledged: the next leader ends the job and does
 *     not run it again
 */
public record StoredJob(SubmitJob submission, boolean cancelled) {
  public StoredJob {
    Objects.requireNonNull(submission);
  }

  public JobId job() {
    return submission.job();
  }
}
