package io.millrace.control.scheduler;

import io.millrace.core.error.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Why a job ends as FAILED, and the lost workers whose drivers may still say why they ended. A job
 * does not end before the cause of its end is known as well as it can be. A part of {@link
 * Scheduler}.
 */
final class WorkerLosses {
  /** Losses whose cause is not known yet. */
  private final List<Failure> awaited = new ArrayList<>();

  private Optional<Failure> rootCause = Optional.empty();

  /** The loss of a worker that followed a failure from outside, such as a broken connection. */
  private Optional<Failure> followingLoss = Optional.empty();

  /** The cause of a loss will be known soon. */
  void await(Failure loss) {
    awaited.add(loss);
  }

  /** The job ends because of this failure. */
  void ends(Failure failure) {
    rootCause = Optional.of(failure);
  }

  /** A worker is lost after the job began to end. Its loss may have caused the first failure. */
  void follows(Failure loss) {
    if (followingLoss.isEmpty()) {
      followingLoss = Optional.of(loss);
    }
  }

  /** The cause of a loss is known, or is not going to be known. */
  void explained(Failure loss, Failure better) {
    awaited.remove(loss);
    rootCause = rootCause.map(cause -> cause.equals(loss) ? better : cause);
    followingLoss = followingLoss.map(cause -> cause.equals(loss) ? better : cause);
  }

  /** Whether the cause of the end may become known better. */
  boolean isOpen() {
    return rootCause.filter(awaited::contains).isPresent()
        || followingLoss.filter(awaited::contains).isPresent();
  }

  /** Why the job ends. */
  Optional<Failure> rootCause() {
    return rootCause.map(cause -> followingLoss.map(cause::and).orElse(cause));
  }
}
