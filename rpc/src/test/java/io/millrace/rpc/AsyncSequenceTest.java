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

  /** A step that never starts must not hold up the steps behind it. */
  @Test
  void stepThatThrowsFailsAndTheNextOneStarts() {
    IllegalStateException thrown = new IllegalStateException("no");
    CompletableFuture<String> atOnce =
        sequence.run(
            () -> {
              throw thrown;
            });
    CompletableFuture<String> first = sequence.run(this::start);
    CompletableFuture<String> later =
        sequence.run(
            () -> {
              throw thrown;
            });
    CompletableFuture<String> last = sequence.run(this::start);
    started.get(0).complete("first");
    started.get(1).complete("last");

    assertThat(first).isCompletedWithValue("first");
    assertThat(last).isCompletedWithValue("last");
    for (CompletableFuture<String> failed : List.of(atOnce, later)) {
      assertThat(failed.handle((value, failure) -> failure).join()).isSameAs(thrown);
    }
  }

  @Test
  void longQueueOfStepsThatCompleteAtOnceIsRunInOrder() {
    List<Integer> ran = new ArrayList<>();
    sequence.run(this::start);
    for (int i = 0; i < 100_000; i++) {
      int number = i;
      sequence.run(
          () -> {
            ran.add(number);
            return CompletableFuture.completedFuture(number);
          });
    }
    started.get(0).complete("go");

    assertThat(ran).hasSize(100_000).isSorted();
  }

  @Test
  void stepThatIsAddedByTheResultOfAnotherRunsAfterThoseThatWait() {
    List<String> ran = new ArrayList<>();
    sequence
        .run(this::start)
        .thenRun(
            () ->
                sequence.run(
                    () -> {
                      ran.add("added");
                      return CompletableFuture.completedFuture("");
                    }));
    sequence.run(
        () -> {
          ran.add("waiting");
          return CompletableFuture.completedFuture("");
        });
    started.get(0).complete("go");

    assertThat(ran).containsExactly("waiting", "added");
  }

  private CompletableFuture<String> start() {
    CompletableFuture<String> step = new CompletableFuture<>();
    started.add(step);
    return step;
  }
}
