package io.millrace.control.dispatcher;

import io.millrace.control.archive.HistorySink;
import io.millrace.core.error.Failure;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ArchivedJob;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands ended jobs to the history server's files, off the mailbox in which it lives and with
 * retries. Nothing else waits for it but the end of the Dispatcher, and that for no retries.
 */
final class HistoryWriter {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryWriter.class);

  private final Optional<HistorySink> sink;
  private final Env env;
  private final Mailbox mailbox;
  private final RetryPolicy retries;
  private final Map<JobId, CompletableFuture<Acknowledge>> underWay = new LinkedHashMap<>();
  private boolean stopping;

  HistoryWriter(Optional<HistorySink> sink, Env env, Mailbox mailbox) {
    this.sink = sink;
    this.env = env;
    this.mailbox = mailbox;
    this.retries = new RetryPolicy(mailbox, () -> !stopping);
  }

  boolean isWanted() {
    return sink.isPresent();
  }

  void write(ArchivedJob job) {
    sink.ifPresent(
        to ->
            retries
                .run("Writing job " + job.job() + " for the history server", () -> once(job, to))
                .whenComplete(
                    (done, failure) -> {
                      if (failure == null) {
                        LOG.info("Job {} is written for the history server", job.job());
                      } else {
                        LOG.warn(
                            "Job {} could not be written for the history server, which will not"
                                + " show it: {}",
                            job.job(),
                            Failure.sentence(Failure.unwrap(failure)));
                      }
                    }));
  }

  private CompletableFuture<Acknowledge> once(ArchivedJob job, HistorySink to) {
    CompletableFuture<Acknowledge> attempt =
        env.io()
            .call(
                mailbox,
                () -> {
                  to.write(job);
                  return Acknowledge.INSTANCE;
                });
    underWay.put(job.job(), attempt);
    attempt.whenComplete((done, failure) -> underWay.remove(job.job()));
    return attempt;
  }

  /** Completes when no attempt is under way; none is begun from now on. */
  CompletableFuture<Void> stop() {
    stopping = true;
    return CompletableFuture.allOf(underWay.values().toArray(CompletableFuture<?>[]::new))
        .exceptionally(failure -> null);
  }
}
