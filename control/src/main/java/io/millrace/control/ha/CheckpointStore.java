package io.millrace.control.ha;

import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.CheckpointRetention;
import io.millrace.core.id.JobId;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.StoredCheckpoints;
import java.util.List;
import java.util.Optional;

/**
 * The completed checkpoints of jobs that have not ended, and the last number of each job. One key
 * per job: a checkpoint completes, and supersedes others, in one write. A write of a leader that
 * was replaced fails with a {@link StaleWriteException}. Blocks like the store under it.
 */
public final class CheckpointStore {
  private static final String PREFIX = "checkpoints/";

  private final HaStore store;
  private final RecordCodec codec;

  public CheckpointStore(HaStore store, RecordCodec codec) {
    this.store = store;
    this.codec = codec;
  }

  /** All jobs with an entry, in the order of their ids. */
  public List<JobId> jobs() {
    return store.list(PREFIX).stream()
        .map(key -> JobId.parse(key.substring(PREFIX.length())))
        .toList();
  }

  public StoredCheckpoints read(JobId job) {
    return store.read(key(job)).map(this::decode).orElse(StoredCheckpoints.NONE);
  }

  /**
   * Begins a term of a job's leader and returns what its predecessors have stored. A write of
   * theirs that follows fails: it would complete a checkpoint that this leader does not restore.
   *
   * @param create whether a job without checkpoints gets an entry
   */
  public StoredCheckpoints begin(JobId job, boolean create, long term) {
    Optional<HaStore.Versioned> before = store.read(key(job));
    StoredCheckpoints known = before.map(this::decode).orElse(StoredCheckpoints.NONE);
    if (before.isPresent() || create) {
      write(job, known, before, term);
    }
    return known;
  }

  /**
   * Reserves a number, which no other leader uses: each directory of a checkpoint has one owner,
   * who may delete it. Fails if the number is reserved already, or if the job has no entry, because
   * it was removed.
   *
   * @param directory the directory of all checkpoints of the job; empty if it has none
   */
  public void reserve(
      JobId job, long number, String directory, CheckpointRetention retention, long term) {
    Optional<HaStore.Versioned> before = store.read(key(job));
    StoredCheckpoints known = existing(job, before);
    if (number <= known.lastNumber()) {
      throw new StaleWriteException(
          "Another leader of job " + job + " has reserved checkpoint " + known.lastNumber());
    }
    write(
        job,
        new StoredCheckpoints(number, directory, retention, known.completed(), known.abandoned()),
        before,
        term);
  }

  /**
   * Stores that a checkpoint is complete. Repeating it has no effect. Fails if the job has no
   * entry, because it was removed.
   *
   * @param retained all checkpoints that are kept from now on, in order of their numbers
   * @param abandoned all that completed and cannot be used
   */
  public void complete(
      JobId job,
      List<CompletedCheckpoint> retained,
      List<CompletedCheckpoint> abandoned,
      long term) {
    Optional<HaStore.Versioned> before = store.read(key(job));
    StoredCheckpoints known = existing(job, before);
    StoredCheckpoints next =
        new StoredCheckpoints(
            Math.max(
                known.lastNumber(),
                retained.stream().mapToLong(CompletedCheckpoint::number).max().orElse(0)),
            known.directory(),
            known.retention(),
            retained,
            abandoned);
    if (!next.equals(known)) {
      write(job, next, before, term);
    }
  }

  /**
   * Removes everything of a job that has ended. Repeating it has no effect. The caller is a leader
   * of another component, whose terms do not compare with those of the leaders that wrote.
   */
  public void remove(JobId job) {
    store
        .read(key(job))
        .ifPresent(found -> store.delete(key(job), found.version(), Long.MAX_VALUE));
  }

  private StoredCheckpoints existing(JobId job, Optional<HaStore.Versioned> before) {
    return before
        .map(this::decode)
        .orElseThrow(
            () -> new StaleWriteException("The checkpoints of job " + job + " were removed"));
  }

  /** The key with all records of a job. */
  public static String key(JobId job) {
    return PREFIX + job;
  }

  private void write(
      JobId job, StoredCheckpoints next, Optional<HaStore.Versioned> before, long term) {
    store.write(
        key(job),
        Bytes.wrap(codec.encode(next)),
        before.map(HaStore.Versioned::version).orElse(HaStore.ABSENT),
        term);
  }

  private StoredCheckpoints decode(HaStore.Versioned found) {
    return codec.decode(StoredCheckpoints.class, found.value());
  }
}
