package io.millrace.control.dispatcher;

import io.millrace.control.checkpoint.CheckpointServices;
import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.protocol.DispatcherGateway.DisposalAnswer;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import io.millrace.task.checkpoint.CheckpointStorage;
import io.millrace.task.checkpoint.CheckpointStorage.StoredMetadata;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes savepoints and retained checkpoints for users. Only a directory with readable metadata is
 * deleted, so that a wrong path does no harm, and none that a job may go back to. Confined to the
 * Dispatcher's mailbox.
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
  private final CheckpointServices checkpoints;
  private final Map<JobId, RunningJob> running;
  private final Map<Id128, DisposalAnswer> disposals = new LinkedHashMap<>();

  /**
   * @param running the jobs that have not ended
   */
  SavepointDisposals(
      Env env, Mailbox mailbox, CheckpointServices checkpoints, Map<JobId, RunningJob> running) {
    this.env = env;
    this.mailbox = mailbox;
    this.checkpoints = checkpoints;
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
        .call(mailbox, () -> checkpoints.storage().readMetadata(path))
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
    if (!savepoint && running.containsKey(job)) {
      throw new MillraceException(
          ErrorKind.USER,
          found.directory()
              + " is a checkpoint of job "
              + job
              + ", which has not ended and may need it.");
    }
    List<JobId> startedWith = startedWith(found.directory());
    return env.io()
        .call(
            mailbox,
            () -> {
              startedWith.forEach(user -> refuseIfNeeded(user, found.directory()));
              checkpoints.dispose(found);
              return found.directory();
            });
  }

  private List<JobId> startedWith(String directory) {
    FilePath path = FilePath.parse(directory);
    return running.values().stream()
        .filter(
            job ->
                job.graph
                    .flatMap(graph -> graph.configuration().find(StateRecoveryOptions.PATH))
                    .map(FilePath::parse)
                    .filter(
                        named ->
                            named.equals(path)
                                || named.equals(path.child(CheckpointStorage.METADATA)))
                    .isPresent())
        .map(RunningJob::id)
        .toList();
  }

  /** A job does not go back to what it was started with after its first checkpoint. */
  private void refuseIfNeeded(JobId job, String directory) {
    if (checkpoints.store().read(job).completed().isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "Job "
              + job
              + " was started with "
              + directory
              + " and needs it until its first checkpoint is complete.");
    }
  }

  DisposalAnswer find(Id128 operation) {
    return disposals.getOrDefault(operation, UNKNOWN);
  }
}
