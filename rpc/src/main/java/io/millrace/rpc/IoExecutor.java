package io.millrace.rpc;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** Runs blocking work outside the mailboxes. */
@FunctionalInterface
public interface IoExecutor {
  /**
   * Runs the work in another thread and completes the future inside {@code replyTo}. Stages that a
   * caller inside {@code replyTo} attaches also run there, because the future cannot complete
   * before the caller returns. For any other caller the future may already be complete, and stages
   * attached then run in the caller's thread.
   */
  <T> CompletableFuture<T> call(Mailbox replyTo, Callable<T> work);
}
