package io.millrace.api.sink;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;

/**
 * A {@link Committer} throws it if a committable can never be committed. It is not retried: the job
 * fails and does not restart, because a restart would commit the same again.
 *
 * <pre>{@code
 * Committer<String> committer =
 *     files -> {
 *       for (String file : files) {
 *         if (!Files.isDirectory(Path.of(file).getParent())) {
 *           throw new CommitFailedException(
 *               "The directory of " + file + " was deleted. Start the job without its state.");
 *         }
 *         Files.createFile(Path.of(file + ".done"));
 *       }
 *     };
 * }</pre>
 */
public final class CommitFailedException extends MillraceException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what cannot be committed, why, and what to do about it
   */
  public CommitFailedException(String message) {
    super(ErrorKind.EXTERNAL, message);
  }

  public CommitFailedException(String message, Throwable cause) {
    super(ErrorKind.EXTERNAL, message, cause);
  }

  /** Whether this exception was the cause of a failure. */
  public static boolean caused(Failure failure) {
    return failure.type().equals(CommitFailedException.class.getName());
  }
}
