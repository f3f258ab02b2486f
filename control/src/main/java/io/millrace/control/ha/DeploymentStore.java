package io.millrace.control.ha;

import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.id.JobId;
import io.millrace.protocol.StoredDeployment;
import java.util.Optional;

/**
 * The executions of jobs that their next leaders may adopt. One key per job. A write of a leader
 * that was replaced fails with a {@link StaleWriteException}. Blocks like the store under it.
 */
public final class DeploymentStore {
  private static final String PREFIX = "deployments/";

  private final HaStore store;
  private final RecordCodec codec;

  public DeploymentStore(HaStore store, RecordCodec codec) {
    this.store = store;
    this.codec = codec;
  }

  /**
   * Begins a term of a job's leader and returns what its predecessor has stored. A write of the
   * predecessor that follows fails: it would replace what this leader decides about.
   *
   * @param keepsTasks whether the leader adopts tasks; if not, the entry is removed, because it
   *     does not replace it when it deploys tasks
   */
  public StoredDeployment begin(JobId job, boolean keepsTasks, long term) {
    Optional<HaStore.Versioned> before = store.read(key(job));
    if (!keepsTasks) {
      before.ifPresent(found -> store.delete(key(job), found.version(), term));
      return StoredDeployment.NONE;
    }
    StoredDeployment known = before.map(this::decode).orElse(StoredDeployment.NONE);
    write(job, known, before, term);
    return known;
  }

  /** Replaces the executions of a job. Repeating it has no effect. */
  public void put(JobId job, StoredDeployment next, long term) {
    Optional<HaStore.Versioned> before = store.read(key(job));
    if (before.isEmpty()) {
      throw new StaleWriteException("The deployment of job " + job + " was removed");
    }
    if (!decode(before.get()).equals(next)) {
      write(job, next, before, term);
    }
  }

  /**
   * Removes the entry of a job that has ended. Repeating it has no effect. The caller is a leader
   * of another component, whose terms do not compare with those of the leaders that wrote.
   */
  public void remove(JobId job) {
    store
        .read(key(job))
        .ifPresent(found -> store.delete(key(job), found.version(), Long.MAX_VALUE));
  }

  /** The key with all records of a job. */
  public static String key(JobId job) {
    return PREFIX + job;
  }

  private void write(
      JobId job, StoredDeployment next, Optional<HaStore.Versioned> before, long term) {
    store.write(
        key(job),
        Bytes.wrap(codec.encode(next)),
        before.map(HaStore.Versioned::version).orElse(HaStore.ABSENT),
        term);
  }

  private StoredDeployment decode(HaStore.Versioned found) {
    return codec.decode(StoredDeployment.class, found.value());
  }
}
