package io.millrace.control.ha;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.Messages;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HaStoreTest {
  private static final Bytes ONE = Bytes.utf8("one");
  private static final Bytes TWO = Bytes.utf8("two");

  private final HaStore store = new MemoryHaStore();
  private final RecordCodec codec = RecordCodec.of(Messages.table());

  @Test
  void writesOnlyOverTheVersionExpected() {
    long first = store.write("a", ONE, HaStore.ABSENT, 1);
    assertThatThrownBy(() -> store.write("a", TWO, HaStore.ABSENT, 1))
        .isInstanceOf(StaleWriteException.class);
    store.write("a", TWO, first, 1);

    assertThat(store.read("a").orElseThrow().value()).isEqualTo(TWO);
    assertThatThrownBy(() -> store.delete("a", first, 1)).isInstanceOf(StaleWriteException.class);
  }

  @Test
  void fencesOffLeadersOfThePast() {
    long version = store.write("a", ONE, HaStore.ABSENT, 5);

    assertThatThrownBy(() -> store.write("a", TWO, version, 4))
        .isInstanceOf(StaleWriteException.class)
        .hasMessageContaining("term 5");
    assertThatThrownBy(() -> store.delete("a", version, 4)).isInstanceOf(StaleWriteException.class);
  }

  @Test
  void listsKeysByPrefixInOrder() {
    store.write("jobs/b", ONE, HaStore.ABSENT, 1);
    store.write("results/a", ONE, HaStore.ABSENT, 1);
    store.write("jobs/a", ONE, HaStore.ABSENT, 1);

    assertThat(store.list("jobs/")).containsExactly("jobs/a", "jobs/b");
    store.delete("jobs/a", 1, 1);
    store.delete("jobs/unknown", 1, 1);
    assertThat(store.list("jobs/")).containsExactly("jobs/b");
  }

  @Test
  void keepsJobsUntilTheyAreRemoved() {
    JobStore jobs = new JobStore(store, codec);
    SubmitJob job = new SubmitJob(new JobId(new Id128(1, 2)), BlobKey.of(ONE));
    jobs.put(job, 1);
    jobs.put(job, 1);

    assertThat(new JobStore(store, codec).all()).containsExactly(job);
    jobs.remove(job.job(), 2);
    jobs.remove(job.job(), 2);
    assertThat(jobs.all()).isEmpty();
  }

  @Test
  void keepsTheFirstResultOfAJob() {
    JobResults results = new JobResults(store, codec);
    JobId job = new JobId(new Id128(1, 2));
    results.put(new JobResult(job, JobStatus.FINISHED, 10, Optional.empty()), 1);
    results.put(new JobResult(job, JobStatus.CANCELED, 20, Optional.empty()), 2);

    assertThat(results.find(job).orElseThrow().status()).isEqualTo(JobStatus.FINISHED);
    assertThat(results.find(new JobId(new Id128(1, 3)))).isEmpty();
  }
}
