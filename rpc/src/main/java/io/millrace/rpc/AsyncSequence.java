package io.millrace.rpc;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Runs asynchronous steps one after the other; each completes before the next one starts. Confined
 * to one mailbox, in which its steps complete.
 */
public final class AsyncSequence {
  private final Deque<Runnable> steps = new ArrayDeque<>();
  private boolean busy;

  /** Runs a step after all steps before it, whether they succeeded or failed. */
  public <T> CompletableFuture<T> run(Supplier<CompletableFuture<T>> step) {
    CompletableFuture<T> done = new CompletableFuture<>();
    steps.add(
        () ->
            step.get()
                .whenComplete(
                    (value, failure) -> {
                      if (failure == null) {
                        done.complete(value);
                      } else {
                        done.completeExceptionally(failure);
                      }
                      busy = false;
                      next();
                    }));
    next();
    return done;
  }

  private void next() {
    if (!busy && !steps.isEmpty()) {
      busy = true;
      steps.remove().run();
    }
  }
}
