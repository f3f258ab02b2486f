package io.millrace.control.dispatcher;

import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.JobResult;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
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

  CompletableFuture<JobStorage.Accepted> accept(SubmitJob submission) {
    return sequence.run(() -> env.io().call(mailbox, () -> storage.accept(submission, term)));
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
   * @param unused returns the blobs that no other job needs; called when the removal starts
   */
  CompletableFuture<Acknowledge> forget(JobId job, Supplier<Collection<BlobKey>> unused) {
    return retries.run(
        "Removing the graph and the jars of job " + job,
        () ->
            sequence.run(
                () -> {
                  Collection<BlobKey> blobs = unused.get();
                  return write(() -> storage.forget(job, blobs, term));
                }));
  }

  /**
   * Removes the graph of a rejected job.
   *
   * @param unused returns the blobs that no job needs; called when the removal starts
   */
  CompletableFuture<Acknowledge> discard(Supplier<Collection<BlobKey>> unused) {
    return sequence.run(
        () -> {
          Collection<BlobKey> blobs = unused.get();
          return write(() -> storage.delete(blobs, term));
        });
  }

  /**
   * Removes blobs that clients uploaded without submitting a job.
   *
   * @param needed returns the blobs of all jobs; called when the removal starts
   */
  CompletableFuture<Acknowledge> clearUnused(Supplier<Collection<BlobKey>> needed) {
    return sequence.run(
        () -> {
          Collection<BlobKey> blobs = needed.get();
          return write(() -> storage.clearUnused(blobs, term));
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
