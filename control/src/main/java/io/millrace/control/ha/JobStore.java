package io.millrace.control.ha;

import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.id.JobId;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The jobs that have not ended, as they were submitted: what a Dispatcher recovers. Blocks like the
 * store under it.
 */
public final class JobStore {
  private static final String PREFIX = "jobs/";

  private final HaStore store;
  private final RecordCodec codec;

  public JobStore(HaStore store, RecordCodec codec) {
    this.store = store;
    this.codec = codec;
  }

  /** Keeps the job; repeating it is fine. */
  public void put(SubmitJob job, long term) {
    String key = PREFIX + job.job();
    Optional<HaStore.Versioned> before = store.read(key);
    Bytes value = Bytes.wrap(codec.encode(job));
    if (before.isEmpty() || !before.get().value().equals(value)) {
      long version = before.map(HaStore.Versioned::version).orElse(HaStore.ABSENT);
      store.write(key, value, version, term);
    }
  }

  /** All jobs, in the order of their ids. */
  public List<SubmitJob> all() {
    List<SubmitJob> jobs = new ArrayList<>();
    for (String key : store.list(PREFIX)) {
      store.read(key).ifPresent(found -> jobs.add(codec.decode(SubmitJob.class, found.value())));
    }
    return jobs;
  }

  public void remove(JobId job, long term) {
    String key = PREFIX + job;
    store.read(key).ifPresent(found -> store.delete(key, found.version(), term));
  }
}
