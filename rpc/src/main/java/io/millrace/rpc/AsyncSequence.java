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
  private boolean looping;

  /**
   * Runs a step after all steps before it, whether they succeeded or failed. A step that throws has
   * failed.
   */
  public <T> CompletableFuture<T> run(Supplier<CompletableFuture<T>> step) {
    CompletableFuture<T> done = new CompletableFuture<>();
    steps.add(
        () ->
            start(step)
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

  private static <T> CompletableFuture<T> start(Supplier<CompletableFuture<T>> step) {
    try {
      return step.get();
    } catch (RuntimeException | LinkageError e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Starts steps until one does not complete at once. The step that has just completed calls this
   * from inside the loop: its call returns, and the loop goes on.
   */
  private void next() {
    if (looping) {
      return;
    }
    looping = true;
    try {
      while (!busy && !steps.isEmpty()) {
        busy = true;
        steps.remove().run();
      }
    } finally {
      looping = false;
    }
  }
}
