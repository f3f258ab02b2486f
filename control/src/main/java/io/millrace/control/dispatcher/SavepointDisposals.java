package io.millrace.control.dispatcher;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.protocol.DispatcherGateway.DisposalAnswer;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import io.millrace.task.checkpoint.CheckpointStorage;
import io.millrace.task.checkpoint.CheckpointStorage.StoredMetadata;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes savepoints for users. Only a directory with readable metadata is deleted, so that a wrong
 * path does no harm. Confined to the Dispatcher's mailbox.
 */
final class SavepointDisposals {
  private static final Logger LOG = LoggerFactory.getLogger(SavepointDisposals.class);

  /** The number of disposals whose outcome is kept. The oldest ones are dropped first. */
  private static final int CAPACITY = 100;

  private static final DisposalAnswer UNKNOWN = new DisposalAnswer(false, false, Optional.empty());
  private static final DisposalAnswer IN_PROGRESS =
      new DisposalAnswer(true, false, Optional.empty());

  private final Env env;
  private final Mailbox mailbox;
  private final CheckpointStorage storage;
  private final Predicate<JobId> running;
  private final Map<Id128, DisposalAnswer> disposals = new LinkedHashMap<>();

  /**
   * @param running whether a job has not ended; its checkpoints are not deleted
   */
  SavepointDisposals(
      Env env, Mailbox mailbox, CheckpointStorage storage, Predicate<JobId> running) {
    this.env = env;
    this.mailbox = mailbox;
    this.storage = storage;
    this.running = running;
  }

  void start(Id128 operation, String path) {
    if (disposals.containsKey(operation)) {
      return;
    }
    if (disposals.size() >= CAPACITY) {
      disposals.remove(disposals.keySet().iterator().next());
    }
    disposals.put(operation, IN_PROGRESS);
    env.io()
        .call(mailbox, () -> storage.readMetadata(path))
        .thenCompose(this::delete)
        .whenComplete(
            (directory, failure) -> {
              if (failure == null) {
                LOG.info("Savepoint {} deleted", directory);
              }
              disposals.replace(
                  operation,
                  new DisposalAnswer(
                      true,
                      true,
                      Optional.ofNullable(failure)
                          .map(cause -> Failure.of(cause, ErrorKind.EXTERNAL))));
            });
  }

  private CompletableFuture<String> delete(StoredMetadata found) {
    boolean savepoint = found.metadata().type().isSavepoint();
    JobId job = found.metadata().job();
    if (!savepoint && running.test(job)) {
      throw new MillraceException(
          ErrorKind.USER,
          found.directory()
              + " is a checkpoint of job "
              + job
              + ", which has not ended and may need it.");
    }
    return env.io()
        .call(
            mailbox,
            () -> {
              storage.delete(found.directory());
              return found.directory();
            });
  }

  DisposalAnswer find(Id128 operation) {
    return disposals.getOrDefault(operation, UNKNOWN);
  }
}
