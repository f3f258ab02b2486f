package io.millrace.control.dispatcher;

import io.millrace.control.archive.ArchiveTargets;
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
 * Writes ended jobs for the history server, outside of the mailbox and with retries. Only the stop
 * of the Dispatcher waits for a running write, and it waits for no retries. Confined to the
 * Dispatcher's mailbox.
 */
final class HistoryWriter {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryWriter.class);

  private final Optional<HistorySink> sink;
  private final Env env;
  private final Mailbox mailbox;
  private final RetryPolicy retries;
  private final Map<JobId, CompletableFuture<Acknowledge>> inProgress = new LinkedHashMap<>();
  private boolean stopping;

  HistoryWriter(ArchiveTargets targets, Env env, Mailbox mailbox) {
    this.sink = targets.history();
    this.env = env;
    this.mailbox = mailbox;
    this.retries = new RetryPolicy(mailbox, () -> !stopping);
  }

  boolean isEnabled() {
    return sink.isPresent();
  }

  void write(ArchivedJob job) {
    sink.ifPresent(
        to ->
            retries
                .run(
                    "Writing job " + job.job() + " for the history server",
                    () -> writeOnce(job, to))
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

  private CompletableFuture<Acknowledge> writeOnce(ArchivedJob job, HistorySink to) {
    CompletableFuture<Acknowledge> attempt =
        env.io()
            .call(
                mailbox,
                () -> {
                  to.write(job);
                  return Acknowledge.INSTANCE;
                });
    inProgress.put(job.job(), attempt);
    attempt.whenComplete((done, failure) -> inProgress.remove(job.job()));
    return attempt;
  }

  /** Completes when no write is in progress. No further write starts. */
  CompletableFuture<Void> stop() {
    stopping = true;
    return CompletableFuture.allOf(inProgress.values().toArray(CompletableFuture<?>[]::new))
        .exceptionally(failure -> null);
  }
}
