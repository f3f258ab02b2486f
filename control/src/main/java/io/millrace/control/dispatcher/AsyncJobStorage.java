package io.millrace.control.dispatcher;

import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.JobResult;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.AsyncSequence;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the storage outside of the Dispatcher's mailbox, for one term, and retries writes that must
 * succeed. Confined to the Dispatcher's mailbox, in which its futures complete.
 */
final class AsyncJobStorage {
  private static final Logger LOG = LoggerFactory.getLogger(AsyncJobStorage.class);

  private final JobStorage storage;
  private final long term;
  private final Env env;
  private final Mailbox mailbox;
  private final RetryPolicy retries;

  /** A blob is not removed while a job that needs it is being accepted. */
  private final AsyncSequence sequence = new AsyncSequence();

  private final BlobReferences references = new BlobReferences();

  /** Jobs of which only the result is stored, oldest first. */
  private final Deque<JobId> cleaned = new ArrayDeque<>();

  private final int keptResults;

  /**
   * @param keptResults the number of results that stay stored after their jobs are removed
   */
  AsyncJobStorage(JobStorage storage, long term, int keptResults, Env env, Mailbox mailbox) {
    this.storage = storage;
    this.term = term;
    this.keptResults = keptResults;
    this.env = env;
    this.mailbox = mailbox;
    this.retries = new RetryPolicy(mailbox, () -> true);
  }

  /** A recovered job is stored and needs these blobs. */
  void recovered(JobId job, Set<BlobKey> blobs) {
    references.stored(job, blobs);
  }

  /**
   * Checks and stores a submitted job. If storing fails, the job may be stored; its blobs are kept
   * until it is known that it is not.
   */
  CompletableFuture<JobStorage.Accepted> accept(SubmitJob submission) {
    references.submitted(submission);
    return sequence
        .run(
            () ->
                env.io()
                    .call(mailbox, () -> storage.check(submission))
                    .thenCompose(graph -> store(submission, graph)))
        .whenComplete((accepted, failure) -> references.answered(submission.job()));
  }

  private CompletableFuture<JobStorage.Accepted> store(SubmitJob submission, JobGraph graph) {
    JobId job = submission.job();
    Set<BlobKey> blobs = JobStorage.blobs(submission, graph);
    references.storing(job, blobs);
    return env.io()
        .call(mailbox, () -> storage.store(submission, graph, term))
        .whenComplete(
            (accepted, failure) -> {
              if (failure == null) {
                references.stored(job, blobs);
              } else {
                releaseIfNotStored(job);
              }
            });
  }

  /** While it cannot be found out whether the job is stored, its blobs are kept. */
  private void releaseIfNotStored(JobId job) {
    retries
        .run(
            "Finding out whether job " + job + " is stored",
            () -> sequence.run(() -> releaseUnlessStored(job)))
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.warn(
                    "It is unknown whether job {} is stored; its graph and its jars are kept",
                    job,
                    failure);
              }
            });
  }

  private CompletableFuture<Acknowledge> releaseUnlessStored(JobId job) {
    if (references.isSubmitted(job)) {
      // The next attempt to store it decides.
      return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
    }
    return env.io()
        .call(mailbox, () -> storage.isStored(job))
        .thenCompose(
            stored -> {
              if (stored || references.isSubmitted(job)) {
                return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
              }
              Set<BlobKey> unused = references.removed(job);
              return write(() -> storage.abandon(unused));
            });
  }

  /** Stores that a job is cancelled. Returns whether the job is stored. */
  CompletableFuture<Boolean> cancel(JobId job) {
    return retries.run(
        "Storing that job " + job + " is cancelled",
        () -> sequence.run(() -> env.io().call(mailbox, () -> storage.cancel(job, term))));
  }

  CompletableFuture<Optional<JobResult>> findResult(JobId job) {
    return env.io().call(mailbox, () -> storage.results().find(job).map(EndedJob::result));
  }

  /** Stores the result. Returns the stored one, which may be an earlier one. */
  CompletableFuture<EndedJob> putResult(EndedJob ended) {
    return retries.run(
        "Storing the result of job " + ended.job(),
        () -> env.io().call(mailbox, () -> storage.putResult(ended, term)));
  }

  /**
   * The graph and the jars of the job are removed, so that it cannot be recovered. Its result is
   * removed later; after that a client could submit the job again.
   */
  void cleanedUp(JobId job) {
    cleaned.addLast(job);
    while (cleaned.size() > keptResults) {
      JobId oldest = cleaned.removeFirst();
      write(() -> storage.results().remove(oldest, term))
          .whenComplete(
              (done, failure) -> {
                if (failure != null) {
                  LOG.warn("The result of job {} could not be removed", oldest, failure);
                }
              });
    }
  }

  /**
   * Removes a stored job, and its graph and jars unless another job needs them. Retries until it
   * succeeds: nobody else removes them while this leader stays.
   */
  CompletableFuture<Acknowledge> forget(JobId job) {
    return retries
        .runUntilDone(
            "Removing the graph and the jars of job " + job,
            () ->
                sequence.run(
                    () -> {
                      Collection<BlobKey> unused = references.onlyOf(job);
                      return write(() -> storage.forget(job, unused, term));
                    }))
        .thenApply(
            done -> {
              references.removed(job);
              return done;
            });
  }

  /** Removes the graph of a rejected submission unless a job needs it. */
  CompletableFuture<Acknowledge> discard(BlobKey graph) {
    return sequence.run(
        () -> {
          Collection<BlobKey> unused = references.unused(List.of(graph));
          return write(() -> storage.delete(unused, term));
        });
  }

  /** Removes blobs that clients uploaded without submitting a job. */
  CompletableFuture<Acknowledge> clearUnused() {
    return sequence.run(
        () -> {
          Collection<BlobKey> needed = references.all();
          return write(() -> storage.clearUnused(needed, term));
        });
  }

  /** A write without a result. */
  private interface StorageWrite {
    void run() throws Exception;
  }

  private CompletableFuture<Acknowledge> write(StorageWrite storageWrite) {
    Callable<Acknowledge> work =
        () -> {
          storageWrite.run();
          return Acknowledge.INSTANCE;
        };
    return env.io().call(mailbox, work);
  }
}
