package io.millrace.task.checkpoint;

import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.util.List;

/**
 * The checkpoint that a job starts with has state of an operator that the operator does not use any
 * more. A restart cannot succeed.
 */
public final class UnclaimedStateException extends MillraceException {
  private static final long serialVersionUID = 1L;

  /**
   * @param states the names of the states
   */
  public UnclaimedStateException(String operator, List<String> states, long checkpoint) {
    super(
        ErrorKind.USER,
        "Checkpoint "
            + checkpoint
            + " has state of operator '"
            + operator
            + "' that the operator does not use any more: "
            + String.join(", ", states)
            + ". Let the function ask for the state again, or start the job with -n ("
            + StateRecoveryOptions.IGNORE_UNCLAIMED_STATE.key()
            + "), which drops it.");
  }

  /** Whether unclaimed state caused a failure. */
  public static boolean caused(Failure failure) {
    return failure.type().equals(UnclaimedStateException.class.getName());
  }
}
