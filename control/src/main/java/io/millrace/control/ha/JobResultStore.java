package io.millrace.control.ha;

import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.id.JobId;
import io.millrace.protocol.EndedJob;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * How jobs ended. A job with a result here never runs again, whoever leads; while it is among the
 * jobs to recover, too, what was kept to run it still has to be removed. Blocks like the store
 * under it.
 */
public final class JobResultStore {
  private static final String PREFIX = "results/";

  private final HaStore store;
  private final RecordCodec codec;

  public JobResultStore(HaStore store, RecordCodec codec) {
    this.store = store;
    this.codec = codec;
  }

  public Optional<EndedJob> find(JobId job) {
    return read(PREFIX + job);
  }

  /** All of them, in the order in which they ended. */
  public List<EndedJob> all() {
    List<EndedJob> all = new ArrayList<>();
    store.list(PREFIX).forEach(key -> read(key).ifPresent(all::add));
    all.sort(Comparator.comparingLong(ended -> ended.overview().endedAt()));
    return all;
  }

  /** Keeps the result. The first one counts, which is returned: a job ends once. */
  public EndedJob put(EndedJob ended, long term) {
    String key = PREFIX + ended.job();
    Optional<EndedJob> before = read(key);
    if (before.isEmpty()) {
      store.write(key, Bytes.wrap(codec.encode(ended)), HaStore.ABSENT, term);
    }
    return before.orElse(ended);
  }

  /** Forgets how a job ended. From then on a job with this id would run. */
  public void remove(JobId job, long term) {
    String key = PREFIX + job;
    store.read(key).ifPresent(found -> store.delete(key, found.version(), term));
  }

  private Optional<EndedJob> read(String key) {
    return store.read(key).map(found -> codec.decode(EndedJob.class, found.value()));
  }
}
