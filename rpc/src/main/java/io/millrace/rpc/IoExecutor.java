package io.millrace.rpc;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** Runs blocking work off the mailboxes. */
@FunctionalInterface
public interface IoExecutor {
  /**
   * Runs the work elsewhere; the future completes inside {@code replyTo}. A caller who is inside
   * {@code replyTo} may attach stages that run there, too: the future cannot complete before the
   * caller returns. For any other caller it may have completed already, and stages attached then
   * run in the caller's thread.
   */
  <T> CompletableFuture<T> call(Mailbox replyTo, Callable<T> work);
}
