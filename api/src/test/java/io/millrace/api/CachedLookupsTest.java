package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.async.AsyncFunction;
import io.millrace.api.async.LookupCache;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The cache of lookup joins, with a clock of its own. */
class CachedLookupsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final AtomicLong clock = new AtomicLong();
  private final List<CompletableFuture<Collection<String>>> answers = new ArrayList<>();
  private final List<Integer> asked = new ArrayList<>();

  /** Remembers its requests, which the test answers. */
  private final class Requests implements AsyncFunction<Integer, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public CompletionStage<? extends Collection<String>> asyncInvoke(Integer key) {
      asked.add(key);
      CompletableFuture<Collection<String>> answer = new CompletableFuture<>();
      answers.add(answer);
      return answer;
    }

    @Override
    public Collection<String> timeout(Integer key) {
      return List.of("none in time");
    }
  }

  private CachedLookups<Integer, String> lookups(LookupCache cache) {
    return new CachedLookups<>(new Requests(), cache, clock::get);
  }

  private static Collection<String> answered(CompletionStage<Collection<String>> stage) {
    return stage.toCompletableFuture().getNow(List.of("no answer"));
  }

  @Test
  void recordsOfOneKeyShareARequestAndItsAnswer() throws Exception {
    CachedLookups<Integer, String> lookups = lookups(LookupCache.of(10, SECOND));
    CompletionStage<Collection<String>> first = lookups.get(1);
    CompletionStage<Collection<String>> second = lookups.get(1);
    answers.get(0).complete(List.of("one"));

    assertThat(answered(first)).containsExactly("one");
    assertThat(answered(second)).containsExactly("one");
    assertThat(answered(lookups.get(1))).containsExactly("one");
    assertThat(asked).containsExactly(1);
  }

  @Test
  void valuesExpire() throws Exception {
    CachedLookups<Integer, String> lookups = lookups(LookupCache.of(10, SECOND));
    lookups.get(1);
    answers.get(0).complete(List.of("old"));
    clock.set(SECOND.toNanos() - 1);
    assertThat(answered(lookups.get(1))).containsExactly("old");

    clock.set(SECOND.toNanos());
    CompletionStage<Collection<String>> again = lookups.get(1);
    answers.get(1).complete(List.of("new"));
    assertThat(answered(again)).containsExactly("new");
    assertThat(asked).containsExactly(1, 1);
  }

  @Test
  void theKeyThatWasUsedLeastRecentlyLeaves() throws Exception {
    CachedLookups<Integer, String> lookups = lookups(LookupCache.of(2, SECOND));
    for (int key : new int[] {1, 2, 1, 3, 1, 2}) {
      lookups.get(key);
      answers.forEach(answer -> answer.complete(List.of("value")));
      assertThat(lookups.size()).isLessThanOrEqualTo(2);
    }
    assertThat(asked).containsExactly(1, 2, 3, 2);
  }

  @Test
  void failuresAndRequestsWithoutAnswerAreNotKept() throws Exception {
    CachedLookups<Integer, String> lookups = lookups(LookupCache.of(10, SECOND));
    lookups.get(1);
    answers.get(0).completeExceptionally(new IllegalStateException("down"));
    lookups.get(1);
    assertThat(asked).containsExactly(1, 1);

    assertThat(lookups.timeout(1)).containsExactly("none in time");
    lookups.get(1);
    assertThat(asked).containsExactly(1, 1, 1);
  }

  @Test
  void keysWithoutValuesAreKeptUnlessTheCacheSaysOtherwise() throws Exception {
    CachedLookups<Integer, String> keeping = lookups(LookupCache.of(10, SECOND));
    keeping.get(1);
    answers.get(0).complete(List.of());
    keeping.get(1);
    assertThat(asked).containsExactly(1);

    CachedLookups<Integer, String> others =
        lookups(LookupCache.of(10, SECOND).withoutMissingKeys());
    others.get(2);
    answers.get(1).complete(List.of());
    others.get(2);
    assertThat(asked).containsExactly(1, 2, 2);
  }

  @Test
  void refusesACacheWithoutRoomOrTime() {
    assertThatThrownBy(() -> LookupCache.of(0, SECOND))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("1 key or more");
    assertThatThrownBy(() -> LookupCache.of(1, Duration.ZERO))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("more than 0 ms");
  }
}
