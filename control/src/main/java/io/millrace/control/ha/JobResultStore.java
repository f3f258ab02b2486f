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
 * Results of ended jobs. A job with a result is not run again by any leader. A job that has a
 * result and is still in the {@link JobStore} has ended, but its stored data is not removed yet.
 * Blocks like the underlying store.
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
    return read(key(job));
  }

  public boolean contains(JobId job) {
    return store.read(key(job)).isPresent();
  }

  /** All results, in the order in which the jobs ended. */
  public List<EndedJob> all() {
    List<EndedJob> results = new ArrayList<>();
    for (Optional<HaStore.Versioned> found : store.readAll(store.list(PREFIX))) {
      found.map(this::decode).ifPresent(results::add);
    }
    results.sort(Comparator.comparingLong(ended -> ended.overview().endedAt()));
    return results;
  }

  /** Stores the result unless the job has one. Returns the stored result: the first one counts. */
  public EndedJob put(EndedJob ended, long term) {
    String key = key(ended.job());
    Optional<EndedJob> before = read(key);
    if (before.isEmpty()) {
      store.write(key, Bytes.wrap(codec.encode(ended)), HaStore.ABSENT, term);
    }
    return before.orElse(ended);
  }

  /** Removes the result. A job with this id could run again. */
  public void remove(JobId job, long term) {
    String key = key(job);
    store.read(key).ifPresent(found -> store.delete(key, found.version(), term));
  }

  /** The key with the result of a job. */
  public static String key(JobId job) {
    return PREFIX + job;
  }

  private Optional<EndedJob> read(String key) {
    return store.read(key).map(this::decode);
  }

  private EndedJob decode(HaStore.Versioned found) {
    return codec.decode(EndedJob.class, found.value());
  }
}
