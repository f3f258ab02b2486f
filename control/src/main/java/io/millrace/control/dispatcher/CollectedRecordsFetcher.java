package io.millrace.control.dispatcher;

import io.millrace.control.jobmaster.CollectedRecordsBuffer;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.DispatcherGateway.FetchCollected;
import io.millrace.protocol.JobMasterGateway;
import io.millrace.protocol.JobMasterGateway.FetchBatches;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Fetches collected records of a job from its JobMaster, or from the archive if the job has ended.
 * Confined to the Dispatcher's mailbox.
 */
final class CollectedRecordsFetcher {
  private final Mailbox mailbox;
  private final Duration askTimeout;
  private final Duration pause;

  /**
   * @param pause the longest wait for an ended job to be archived; the client then asks again
   */
  CollectedRecordsFetcher(Mailbox mailbox, Duration askTimeout, Duration pause) {
    this.mailbox = mailbox;
    this.askTimeout = askTimeout;
    this.pause = pause;
  }

  static CollectedPage fetch(CollectedRecordsBuffer archived, FetchCollected request) {
    return archived.page(request.name(), request.next());
  }

  /** The answer for a job that the Dispatcher does not know. */
  static CollectedPage unknownJob(FetchCollected request) {
    return new CollectedPage(false, request.next(), List.of(), false);
  }

  CompletableFuture<CollectedPage> fetch(RunningJob job, FetchCollected request) {
    Optional<JobMasterGateway> jobMaster =
        job.jobMaster(mailbox, request.patience().plus(askTimeout));
    if (jobMaster.isEmpty()) {
      return fetchWhenArchived(job, request);
    }
    return jobMaster
        .get()
        .fetchCollected(new FetchBatches(request.name(), request.next(), request.patience()))
        .handle(
            (page, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(page);
              }
              return job.end.isPresent()
                  ? fetchWhenArchived(job, request)
                  : CompletableFuture.<CollectedPage>failedFuture(failure);
            })
        .thenCompose(page -> page);
  }

  /** Completes when the job is archived, or with an empty page after the pause. */
  private CompletableFuture<CollectedPage> fetchWhenArchived(
      RunningJob job, FetchCollected request) {
    CompletableFuture<CollectedPage> answer = new CompletableFuture<>();
    Duration wait = request.patience().compareTo(pause) < 0 ? request.patience() : pause;
    Mailbox.Timer timer =
        mailbox.after(
            wait, () -> answer.complete(new CollectedPage(true, request.next(), List.of(), false)));
    job.archived.whenComplete(
        (end, failure) -> {
          timer.cancel();
          if (failure != null) {
            answer.completeExceptionally(failure);
          } else if (!answer.isDone()) {
            try {
              answer.complete(end.collected().page(request.name(), request.next()));
            } catch (MillraceException e) {
              answer.completeExceptionally(e);
            }
          }
        });
    return answer;
  }
}
