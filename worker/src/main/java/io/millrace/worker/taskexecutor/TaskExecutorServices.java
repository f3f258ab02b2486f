package io.millrace.worker.taskexecutor;

import io.millrace.task.TaskHost;
import io.millrace.task.checkpoint.CheckpointStorage;
import io.millrace.worker.blobcache.BlobCache;
import io.millrace.worker.task.CachedFileStore;
import java.util.Objects;

/**
 * What a TaskExecutor uses of its process.
 *
 * @param host runs the tasks
 * @param blobs the graphs and jars of jobs
 * @param checkpoints the metadata of checkpoints that tasks start with
 */
public record TaskExecutorServices(
    TaskHost host, BlobCache blobs, CheckpointStorage checkpoints, CachedFileStore files) {
  public TaskExecutorServices {
    Objects.requireNonNull(host);
    Objects.requireNonNull(blobs);
    Objects.requireNonNull(checkpoints);
    Objects.requireNonNull(files);
  }

  /** For jobs without cached files. */
  public TaskExecutorServices(TaskHost host, BlobCache blobs, CheckpointStorage checkpoints) {
    this(host, blobs, checkpoints, CachedFileStore.NONE);
  }
}
