package io.millrace.worker.taskexecutor;

import io.millrace.protocol.IssuedToken;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Passes delegation tokens to their receivers, outside of the mailbox, because receivers may block.
 * Tokens are applied in the order of their arrival, so that none is replaced by an older one.
 * Confined to the mailbox of the worker.
 */
final class TokenReceipt {
  private final TaskExecutorContext worker;
  private CompletableFuture<Void> previous = CompletableFuture.completedFuture(null);

  TokenReceipt(TaskExecutorContext worker) {
    this.worker = worker;
  }

  /** Completes in the mailbox when all tokens are applied; fails with the first failure. */
  CompletableFuture<Void> receive(List<IssuedToken> tokens) {
    if (tokens.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> applied =
        previous.exceptionally(failure -> null).thenCompose(nothing -> apply(tokens));
    previous = applied;
    return applied;
  }

  private CompletableFuture<Void> apply(List<IssuedToken> tokens) {
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
