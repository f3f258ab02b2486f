package io.millrace.task;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;

/**
 * A cluster partition is not at the location in the job graph. A restart of the job cannot succeed;
 * a new job gets the current location or computes the data set again.
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
            + ". Execute the job again; it computes the lost data set again.");
  }

  /** Whether a lost partition caused the failure. */
  public static boolean caused(Failure failure) {
    return failure.type().equals(LostPartitionException.class.getName());
  }
}
