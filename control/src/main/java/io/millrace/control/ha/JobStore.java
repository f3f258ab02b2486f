package io.millrace.control.ha;

import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.id.JobId;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.StoredJob;
import java.util.List;
import java.util.Optional;

/**
 * Submitted jobs that have not ended, and whether they are cancelled. A new Dispatcher recovers
 * them. Blocks like the underlying store.
 */
public final class JobStore {
  private static final String PREFIX = "jobs/";

  private final HaStore store;
  private final RecordCodec codec;

  public JobStore(HaStore store, RecordCodec codec) {
    this.store = store;
    this.codec = codec;
  }

  /** Stores the job and returns the stored entry. Idempotent; does not undo a cancellation. */
  public StoredJob put(SubmitJob job, long term) {
    Optional<HaStore.Versioned> before = read(job.job());
    Optional<StoredJob> known =
        before.map(this::decode).filter(kept -> kept.submission().equals(job));
    if (known.isPresent()) {
      return known.get();
    }
    StoredJob kept = new StoredJob(job, false);
    write(kept, before.map(HaStore.Versioned::version).orElse(HaStore.ABSENT), term);
    return kept;
  }

  /** Stores that the job is cancelled. Returns whether the job is stored. Idempotent. */
  public boolean cancel(JobId job, long term) {
    Optional<HaStore.Versioned> before = read(job);
    before
        .filter(found -> !decode(found).cancelled())
        .ifPresent(
            found -> write(new StoredJob(decode(found).submission(), true), found.version(), term));
    return before.isPresent();
  }

  public boolean contains(JobId job) {
    return read(job).isPresent();
  }

  /** All jobs, in the order of their ids. */
  public List<StoredJob> all() {
    return store.readAll(store.list(PREFIX)).stream()
        .flatMap(Optional::stream)
        .map(this::decode)
        .toList();
  }

  public void remove(JobId job, long term) {
    read(job).ifPresent(found -> store.delete(PREFIX + job, found.version(), term));
  }

  private Optional<HaStore.Versioned> read(JobId job) {
    return store.read(PREFIX + job);
  }

  private void write(StoredJob job, long version, long term) {
    store.write(PREFIX + job.job(), Bytes.wrap(codec.encode(job)), version, term);
  }

  private StoredJob decode(HaStore.Versioned found) {
    return codec.decode(StoredJob.class, found.value());
  }
}
