package io.millrace.protocol;

import io.millrace.core.id.JobId;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import java.util.Objects;

/**
 * A job as it is stored while it has not ended.
 *
 * @param cancelled whether somebody was told that it will be: whoever leads next ends it and does
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
