package io.millrace.control.jobmaster;

import io.millrace.control.checkpoint.CheckpointServices;
import io.millrace.control.ha.CheckpointStore;
import io.millrace.control.ha.DeploymentStore;
import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.JobResultStore;
import io.millrace.control.ha.ReadAheadStore;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.id.JobId;
import io.millrace.task.checkpoint.CheckpointStorage;
import java.util.List;
import java.util.Objects;

/**
 * Where the leaders of a job store what its next leader needs.
 *
 * @param codec for all stored values
 * @param files the files of checkpoints
 */
public record JobStores(HaStore store, RecordCodec codec, CheckpointStorage files) {
  public JobStores {
    Objects.requireNonNull(store);
    Objects.requireNonNull(codec);
    Objects.requireNonNull(files);
  }

  /** The results of jobs that have ended. */
  public JobResultStore results() {
    return new JobResultStore(store, codec);
  }

  public CheckpointServices checkpoints() {
    return new CheckpointServices(new CheckpointStore(store, codec), files);
  }

  /** What the next leader may adopt. */
  public DeploymentStore deployments() {
    return new DeploymentStore(store, codec);
  }

  /**
   * The same stores, of which all records of a job are read at once: a new leader of many jobs
   * waits for one answer per job. Blocks. For one thread.
   */
  JobStores readAhead(JobId job) {
    List<String> keys =
        List.of(JobResultStore.key(job), CheckpointStore.key(job), DeploymentStore.key(job));
    return new JobStores(new ReadAheadStore(store, keys), codec, files);
  }
}
