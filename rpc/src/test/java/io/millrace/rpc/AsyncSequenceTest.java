package io.millrace.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class AsyncSequenceTest {
  private final AsyncSequence sequence = new AsyncSequence();
  private final List<CompletableFuture<String>> started = new ArrayList<>();

  @Test
  void stepStartsWhenTheStepBeforeItHasCompleted() {
    CompletableFuture<String> first = sequence.run(this::start);
    CompletableFuture<String> second = sequence.run(this::start);

    assertThat(started).hasSize(1);
    started.get(0).complete("one");
    assertThat(first).isCompletedWithValue("one");
    assertThat(started).hasSize(2);
    assertThat(second).isNotDone();
    started.get(1).complete("two");
    assertThat(second).isCompletedWithValue("two");
  }

  @Test
  void failureOfAStepReachesOnlyItsCaller() {
    CompletableFuture<String> first = sequence.run(this::start);
    CompletableFuture<String> second = sequence.run(this::start);

    started.get(0).completeExceptionally(new IllegalStateException("no"));
    started.get(1).complete("two");

    assertThat(first).isCompletedExceptionally();
    assertThat(second).isCompletedWithValue("two");
  }

  private CompletableFuture<String> start() {
    CompletableFuture<String> step = new CompletableFuture<>();
    started.add(step);
    return step;
  }
}
