package io.millrace.control.ha;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.testing.EndedJobs;
import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.Failure;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.Messages;
import io.millrace.protocol.StoredJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** The tests of the contract of all stores. */
public abstract class HaStoreContract {
  private static final Bytes ONE = Bytes.utf8("one");
  private static final Bytes TWO = Bytes.utf8("two");

  private final RecordCodec codec = RecordCodec.of(Messages.table());

  /** A new store without values. */
  protected abstract HaStore store();

  @Test
  @Behaviour("G2: a write succeeds only over the version that it expects")
  void writesOnlyOverTheVersionExpected() {
    HaStore store = store();
    assertThat(store.read("a")).isEmpty();
    long first = store.write("a", ONE, HaStore.ABSENT, 1);
    assertThatThrownBy(() -> store.write("a", TWO, HaStore.ABSENT, 1))
        .isInstanceOf(StaleWriteException.class);
    long second = store.write("a", TWO, first, 1);

    assertThat(store.read("a")).contains(new HaStore.Versioned(TWO, second));
    assertThatThrownBy(() -> store.delete("a", first, 1)).isInstanceOf(StaleWriteException.class);
    assertThatThrownBy(() -> store.write("b", ONE, second, 1))
        .isInstanceOf(StaleWriteException.class);
  }

  @Test
  @Behaviour(
      "G2: one process at a time owns the stored jobs; the store refuses writes of an earlier term")
  void fencesOffFormerLeaders() {
    HaStore store = store();
    long version = store.write("a", ONE, HaStore.ABSENT, 5);

    assertThatThrownBy(() -> store.write("a", TWO, version, 4))
        .isInstanceOf(StaleWriteException.class)
        .hasMessageContaining("term 5");
    assertThatThrownBy(() -> store.delete("a", version, 4)).isInstanceOf(StaleWriteException.class);
    assertThat(store.read("a").orElseThrow().value()).isEqualTo(ONE);
  }

  @Test
  void listsKeysByPrefixInOrder() {
    HaStore store = store();
    store.write("jobs/b", ONE, HaStore.ABSENT, 1);
    store.write("results/a", ONE, HaStore.ABSENT, 1);
    store.write("jobs/a", ONE, HaStore.ABSENT, 1);

    assertThat(store.list("jobs/")).containsExactly("jobs/a", "jobs/b");
    store.delete("jobs/a", 1, 1);
    store.delete("jobs/unknown", 1, 1);
    assertThat(store.list("jobs/")).containsExactly("jobs/b");
  }

  @Test
  void readsSeveralKeysInTheirOrder() {
    HaStore store = store();
    List<String> keys = new ArrayList<>();
    List<Optional<HaStore.Versioned>> expected = new ArrayList<>();
    for (int i = 0; i < 250; i++) {
      keys.add("jobs/" + i);
      boolean stored = i % 3 > 0;
      Bytes value = Bytes.utf8("value " + i);
      expected.add(
          stored
              ? Optional.of(
                  new HaStore.Versioned(value, store.write(keys.get(i), value, HaStore.ABSENT, 1)))
              : Optional.empty());
    }

    assertThat(store.readAll(keys)).isEqualTo(expected);
    assertThat(store.readAll(List.of())).isEmpty();
  }

  @Test
  void writesAKeyThatWasDeletedAsANewOne() {
    HaStore store = store();
    long first = store.write("a", ONE, HaStore.ABSENT, 1);
    long second = store.write("a", TWO, first, 1);
    store.delete("a", second, 1);

    assertThatThrownBy(() -> store.write("a", ONE, second, 1))
        .isInstanceOf(StaleWriteException.class);
    long again = store.write("a", ONE, HaStore.ABSENT, 1);
    assertThat(store.write("a", TWO, again, 1)).isEqualTo(again + 1);
    assertThat(store.read("a").orElseThrow().value()).isEqualTo(TWO);
  }

  @Test
  void acceptsAnyKey() {
    HaStore store = store();
    List<String> keys =
        List.of(
            "",
            "../../etc/passwd",
            "/",
            ".",
            "..",
            "a",
            "A",
            "a b\n\u0000c",
            "%2f",
            "lock",
            "x.new",
            "x.value",
            "käse~\uD83E\uDDC0",
            "long/" + "y".repeat(1000),
            "long/" + "y".repeat(1000) + "z");
    for (String key : keys) {
      store.write(key, Bytes.utf8("value of " + key), HaStore.ABSENT, 1);
    }

    for (String key : keys) {
      assertThat(store.read(key).orElseThrow().value()).isEqualTo(Bytes.utf8("value of " + key));
    }
    assertThat(store.list("")).containsExactlyInAnyOrderElementsOf(keys);
    assertThat(store.list("long/")).hasSize(2);
    keys.forEach(key -> store.delete(key, 1, 1));
    assertThat(store.list("")).isEmpty();
  }

  @Test
  @Behaviour("G2: a write succeeds only over the version that it expects")
  void oneOfSeveralConcurrentWritersWins() {
    HaStore store = store();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int round = 0; round < 20; round++) {
        String key = "key-" + round;
        List<CompletableFuture<Boolean>> writers = new ArrayList<>();
        for (int writer = 0; writer < 4; writer++) {
          Bytes value = Bytes.utf8("writer " + writer);
          writers.add(CompletableFuture.supplyAsync(() -> wins(store, key, value), threads));
        }
        assertThat(writers.stream().filter(CompletableFuture::join)).hasSize(1);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static boolean wins(HaStore store, String key, Bytes value) {
    try {
      store.write(key, value, HaStore.ABSENT, 1);
      return true;
    } catch (StaleWriteException lost) {
      assertThat(Failure.sentence(lost)).contains(key);
      return false;
    }
  }

  @Test
  void keepsJobsUntilTheyAreRemoved() {
    HaStore store = store();
    JobStore jobs = new JobStore(store, codec);
    SubmitJob job = new SubmitJob(new JobId(new Id128(1, 2)), BlobKey.of(ONE));
    jobs.put(job, 1);
    jobs.put(job, 1);

    assertThat(new JobStore(store, codec).all()).containsExactly(new StoredJob(job, false));
    jobs.remove(job.job(), 2);
    jobs.remove(job.job(), 2);
    assertThat(jobs.all()).isEmpty();
  }

  @Test
  void storesCancellations() {
    JobStore jobs = new JobStore(store(), codec);
    SubmitJob job = new SubmitJob(new JobId(new Id128(1, 2)), BlobKey.of(ONE));
    assertThat(jobs.cancel(job.job(), 1)).as("the job is not stored").isFalse();
    jobs.put(job, 1);

    assertThat(jobs.cancel(job.job(), 1)).isTrue();
    assertThat(jobs.cancel(job.job(), 1)).isTrue();
    jobs.put(job, 1);

    assertThat(jobs.all()).containsExactly(new StoredJob(job, true));
  }

  @Test
  @Behaviour(
      "G1: a former leader that does not know its successor acknowledges neither a job nor a"
          + " cancellation")
  void formerLeaderIsDetectedInTheStore() {
    NewestTerm terms = new NewestTerm(store());
    terms.check(1);
    terms.begin(1);
    terms.check(1);

    terms.begin(3);

    assertThatThrownBy(() -> terms.check(1)).isInstanceOf(StaleWriteException.class);
    assertThatThrownBy(() -> terms.check(2))
        .as("also the term right before the newest")
        .isInstanceOf(StaleWriteException.class);
    assertThatThrownBy(() -> terms.begin(2)).hasMessageContaining("term 3");
    terms.check(3);
  }

  @Test
  void keepsTheFirstResultOfAJob() {
    JobResultStore results = new JobResultStore(store(), codec);
    JobId job = new JobId(new Id128(1, 2));
    EndedJob first = EndedJobs.of(job, JobStatus.FINISHED, 50);
    assertThat(results.put(first, 1)).isEqualTo(first);
    assertThat(results.put(EndedJobs.of(job, JobStatus.CANCELED, 60), 2)).isEqualTo(first);

    assertThat(results.find(job)).contains(first);
    assertThat(results.find(new JobId(new Id128(1, 3)))).isEmpty();
    results.remove(job, 2);
    assertThat(results.find(job)).isEmpty();
  }

  @Test
  void listsResultsInTheOrderInWhichJobsEnded() {
    JobResultStore results = new JobResultStore(store(), codec);
    EndedJob late = EndedJobs.of(new JobId(new Id128(1, 1)), JobStatus.FINISHED, 90);
    EndedJob early = EndedJobs.of(new JobId(new Id128(1, 2)), JobStatus.CANCELED, 80);
    results.put(late, 1);
    results.put(early, 1);

    assertThat(results.all()).containsExactly(early, late);
  }

  @Test
  void termsGrowWithEachStartIndependentlyOfTheClock() {
    HaStore store = store();
    long first = TermCounter.reserve(store, 1000);
    long second = TermCounter.reserve(store, 10);
    long later = TermCounter.reserve(store, second + (1L << 40));

    assertThat(first).isEqualTo(1000);
    assertThat(second).isGreaterThan(first + Integer.MAX_VALUE);
    assertThat(later).isEqualTo(second + (1L << 40));
  }
}
