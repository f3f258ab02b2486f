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
 * The storage of one term as its Dispatcher uses it, in whose mailbox it lives and answers: off the
 * mailbox, and with patience for what must be written.
 */
final class AsyncJobStorage {
  private static final Logger LOG = LoggerFactory.getLogger(AsyncJobStorage.class);

  private final JobStorage storage;
  private final long term;
  private final Env env;
  private final Mailbox mailbox;
  private final RetryPolicy retries;

  /** A blob is never removed while a job that needs it is being accepted. */
  private final AsyncSequence oneByOne = new AsyncSequence();

  /** Jobs of which nothing but the result is stored, oldest first. */
  private final Deque<JobId> cleaned = new ArrayDeque<>();

  private final int keptResults;

  /**
   * @param keptResults how many results of jobs that are cleaned up after stay stored
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
    return oneByOne.run(() -> env.io().call(mailbox, () -> storage.accept(submission, term)));
  }

  /** Keeps that a job has to end; answers whether it is stored at all. */
  CompletableFuture<Boolean> cancel(JobId job) {
    return retries.run(
        "Storing that job " + job + " is cancelled",
        () -> oneByOne.run(() -> env.io().call(mailbox, () -> storage.cancel(job, term))));
  }

  CompletableFuture<Optional<JobResult>> findResult(JobId job) {
    return env.io().call(mailbox, () -> storage.results().find(job).map(EndedJob::result));
  }

  /** Answers with what is kept of the end from now on. */
  CompletableFuture<EndedJob> putResult(EndedJob ended) {
    return retries.run(
        "Storing the result of job " + ended.job(),
        () -> env.io().call(mailbox, () -> storage.putResult(ended, term)));
  }

  /**
   * The job cannot run again for lack of anything to run, so that in time its result may go, too;
   * only a client that submits it once more after that would be let.
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
   * @param unused the blobs that no other job needs, asked for when it is this step's turn
   */
  CompletableFuture<Acknowledge> forget(JobId job, Supplier<Collection<BlobKey>> unused) {
    return retries.run(
        "Removing the graph and the jars of job " + job,
        () ->
            oneByOne.run(
                () -> {
                  Collection<BlobKey> blobs = unused.get();
                  return write(() -> storage.forget(job, blobs, term));
                }));
  }

  /** Removes what a refused job has brought along; the same is asked of its supplier. */
  CompletableFuture<Acknowledge> discard(Supplier<Collection<BlobKey>> unused) {
    return oneByOne.run(
        () -> {
          Collection<BlobKey> blobs = unused.get();
          return write(() -> storage.delete(blobs, term));
        });
  }

  /**
   * Removes blobs that clients left without a job.
   *
   * @param needed the blobs of all jobs, asked for when it is this step's turn
   */
  CompletableFuture<Acknowledge> clearUnused(Supplier<Collection<BlobKey>> needed) {
    return oneByOne.run(
        () -> {
          Collection<BlobKey> blobs = needed.get();
          return write(() -> storage.clearUnused(blobs, term));
        });
  }

  /** What is written, without an answer. */
  private interface Writing {
    void run() throws Exception;
  }

  private CompletableFuture<Acknowledge> write(Writing writing) {
    Callable<Acknowledge> work =
        () -> {
          writing.run();
          return Acknowledge.INSTANCE;
        };
    return env.io().call(mailbox, work);
  }
}
