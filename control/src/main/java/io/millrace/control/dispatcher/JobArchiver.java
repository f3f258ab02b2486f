package io.millrace.control.dispatcher;

import io.millrace.control.archive.JobArchive;
import io.millrace.control.jobmaster.CollectedRecordsBuffer;
import io.millrace.control.jobmaster.JobMasterRunner;
import io.millrace.control.jobmaster.JobTermination;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.ArchivedJob;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.journal.DispatcherEvent;
import io.millrace.protocol.journal.DispatcherEvent.JobArchived;
import io.millrace.protocol.reason.JobReason.EndedUnderEarlierLeader;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.journal.History;
import io.millrace.rpc.journal.JournalEntry;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes jobs from their end to the archive: the result is stored, the JobMaster goes, all that is
 * known is kept, those who wait are told, and what was stored to run the job is removed. Lives in
 * the Dispatcher's mailbox, which shares the jobs with it.
 */
final class JobArchiver {
  private static final Logger LOG = LoggerFactory.getLogger(JobArchiver.class);

  private final Map<JobId, RunningJob> running;
  private final AsyncJobStorage storage;
  private final JobArchive archive;
  private final HistoryWriter history;
  private final Shell shell;

  /**
   * What surrounds it.
   *
   * @param fatal told what this process cannot go on with
   */
  record Shell(
      Env env, Mailbox mailbox, Consumer<JournalEntry> record, Consumer<Throwable> fatal) {}

  /**
   * @param running the jobs between their submission and the archive; ended ones are removed
   */
  JobArchiver(
      Map<JobId, RunningJob> running,
      AsyncJobStorage storage,
      JobArchive archive,
      HistoryWriter history,
      Shell shell) {
    this.running = running;
    this.storage = storage;
    this.archive = archive;
    this.history = history;
    this.shell = shell;
  }

  /** The result is stored before anybody hears of it: from then on the job never runs again. */
  void writeDown(RunningJob job, JobTermination end) {
    job.end = Optional.of(end);
    storage
        .putResult(new EndedJob(end.result(), end.overview()))
        .whenComplete(
            (kept, failure) -> {
              if (failure != null) {
                shell.fatal().accept(failure);
              } else if (kept.overview().equals(end.overview())) {
                archive(job, end);
              } else {
                endedBefore(job, kept);
              }
            });
  }

  /**
   * What its own leader has archived of it is left as it is. One that died before it came to that
   * leaves the little that is known here, which the leaders to come tell, too.
   */
  void endedBefore(RunningJob job, EndedJob ended) {
    shell
        .record()
        .accept(
            Dispatcher.entry(
                job.id(),
                new DispatcherEvent.JobEnded(
                    ended.result().status(), new EndedUnderEarlierLeader())));
    ArchivedJob placeholder =
        placeholder(ended, job.graph, shell.env().journal().history(job.id()));
    JobTermination end =
        new JobTermination(
            ended.result(),
            placeholder.details(),
            ended.overview(),
            CollectedRecordsBuffer.nothing());
    job.end = Optional.of(end);
    stop(
        job,
        () ->
            archive
                .keepUnlessKept(placeholder)
                .thenRun(
                    () -> {
                      retire(job, end, placeholder);
                      if (history.isWanted()) {
                        // That leader may not have come to it.
                        archive.stored(job.id()).thenAccept(page -> page.ifPresent(history::write));
                      }
                    }));
  }

  /** All that is known of the job is stored before anybody hears of its end, too. */
  private void archive(RunningJob job, JobTermination end) {
    EndedJob ended = new EndedJob(end.result(), end.overview());
    stop(
        job,
        () -> {
          shell.record().accept(Dispatcher.entry(job.id(), new JobArchived(end.result().status())));
          ArchivedJob page =
              new ArchivedJob(ended, end.details(), shell.env().journal().history(job.id()));
          archive
              .keep(page)
              .thenRun(
                  () -> {
                    retire(job, end, placeholder(ended, Optional.empty(), History.NONE));
                    history.write(page);
                  });
        });
  }

  /** The JobMaster is gone before its collected records change hands. */
  private void stop(RunningJob job, Runnable then) {
    job.runner
        .map(JobMasterRunner::stop)
        .orElse(CompletableFuture.completedFuture(null))
        .whenComplete((nothing, failure) -> shell.mailbox().post(then));
  }

  private void retire(RunningJob job, JobTermination end, ArchivedJob placeholder) {
    running.remove(job.id());
    archive.add(placeholder, end.collected());
    job.archived.complete(end);
    cleanUp(job);
  }

  static ArchivedJob placeholder(EndedJob ended, Optional<JobGraph> graph, History history) {
    return new ArchivedJob(ended, JobPlaceholder.ended(ended, graph), history);
  }

  private void cleanUp(RunningJob job) {
    storage
        .forget(job.id(), () -> unused(job.blobs()))
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                LOG.debug("Job {}: graph and jars removed", job.id());
                storage.cleanedUp(job.id());
              } else {
                LOG.warn("Job {}: graph or jars could not be removed", job.id(), failure);
              }
            });
  }

  /** Those of the blobs that no job needs. */
  Set<BlobKey> unused(Collection<BlobKey> blobs) {
    Set<BlobKey> unused = new LinkedHashSet<>(blobs);
    running.values().forEach(job -> unused.removeAll(job.blobs()));
    return unused;
  }
}
