package io.millrace.rpc;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** Runs blocking work off the mailboxes. */
@FunctionalInterface
public interface Io {
  /** Runs the work elsewhere; the future completes inside {@code replyTo}. */
  <T> CompletableFuture<T> call(Mailbox replyTo, Callable<T> work);
}
