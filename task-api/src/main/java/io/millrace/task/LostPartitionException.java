package io.millrace.task;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;

/**
 * A kept result is not where the job was told that it is. The same job cannot succeed any more,
 * however often it starts again; a new one is told where the result is now, or computes it anew.
 */
public final class LostPartitionException extends MillraceException {
  private static final long serialVersionUID = 1L;

  public LostPartitionException(ClusterPartition partition, String place, String why) {
    super(
        ErrorKind.EXTERNAL,
        "The cached "
            + partition
            + " cannot be read from TaskManager "
            + place
            + ": "
            + why
            + ". Execute the job again: what is lost is then computed anew.");
  }

  /** Whether this is what a failure came from. */
  public static boolean caused(Failure failure) {
    return failure.type().equals(LostPartitionException.class.getName());
  }
}
