package io.millrace.worker.taskexecutor;

import io.millrace.protocol.IssuedToken;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Hands delegation tokens to their receivers, off the mailbox, for they may block. What came first
 * is taken first: a token must not be replaced by an older one. Lives in the worker's mailbox.
 */
final class TokenReceipt {
  private final TaskExecutorContext worker;
  private CompletableFuture<Void> before = CompletableFuture.completedFuture(null);

  TokenReceipt(TaskExecutorContext worker) {
    this.worker = worker;
  }

  /** Completes, in the mailbox, when all are taken; fails with the first that was not. */
  CompletableFuture<Void> take(List<IssuedToken> tokens) {
    if (tokens.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> taken =
        before.exceptionally(failure -> null).thenCompose(nothing -> hand(tokens));
    before = taken;
    return taken;
  }

  private CompletableFuture<Void> hand(List<IssuedToken> tokens) {
    return worker
        .rpc()
        .env()
        .io()
        .call(
            worker.mailbox(),
            () -> {
              for (IssuedToken token : tokens) {
                worker.settings().tokens().receive(token.service(), token.content());
              }
              return null;
            });
  }
}
