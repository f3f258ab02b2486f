package io.millrace.worker.taskexecutor;

import io.millrace.core.id.WorkerId;
import io.millrace.protocol.journal.TaskExecutorEvent;
import io.millrace.rpc.Address;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.Subscription;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.leader.LeaderRetrieval;
import io.millrace.task.TaskHost;
import io.millrace.task.checkpoint.CheckpointStorage;
import io.millrace.worker.blobcache.BlobCache;
import io.millrace.worker.task.CachedFileStore;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The shared environment of the parts of a TaskExecutor.
 *
 * @param incarnation grows with each start of a worker
 * @param journal records decisions
 * @param fatal ends the process
 */
record TaskExecutorContext(
    Rpc rpc,
    Mailbox mailbox,
    Address address,
    long incarnation,
    LeaderRetrieval leaders,
    WorkerSettings settings,
    TaskExecutorServices services,
    Consumer<JournalEntry> journal,
    Consumer<Throwable> fatal) {

  TaskHost host() {
    return services.host();
  }

  BlobCache blobs() {
    return services.blobs();
  }

  CheckpointStorage checkpoints() {
    return services.checkpoints();
  }

  CachedFileStore cachedFiles() {
    return services.files();
  }

  WorkerId id() {
    return settings.worker();
  }

  /** An error in the lookup of leaders is fatal: the worker could not run any job. */
  Subscription follow(String component, Consumer<Optional<Leader>> listener) {
    try {
      return leaders.follow(component, mailbox, listener);
    } catch (RuntimeException e) {
      fatal.accept(e);
      throw e;
    }
  }

  /**
   * Continues with an answer. An exception of the continuation would be lost in the future; here it
   * is fatal, because the state of the worker may be inconsistent.
   */
  <T> void then(CompletableFuture<T> answer, BiConsumer<T, Throwable> next) {
    answer.whenComplete(
        (value, failure) -> {
          try {
            next.accept(value, failure);
          } catch (RuntimeException | LinkageError e) {
            fatal.accept(e);
          }
        });
  }

  void record(TaskExecutorEvent event) {
    journal.accept(event.entry().onWorker(id()));
  }
}
