package io.millrace.control.dispatcher;

import io.millrace.control.archive.JobArchive;
import io.millrace.control.jobmaster.CollectedRecordsBuffer;
import io.millrace.control.jobmaster.JobMasterRunner;
import io.millrace.control.jobmaster.JobTermination;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ArchivedJob;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.journal.DispatcherEvent;
import io.millrace.protocol.journal.DispatcherEvent.JobArchived;
import io.millrace.protocol.reason.JobReason.EndedUnderEarlierLeader;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.journal.History;
import io.millrace.rpc.journal.JournalEntry;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves ended jobs to the archive: stores the result, stops the JobMaster, archives details and
 * history, completes waiting requests and removes the stored job. Confined to the Dispatcher's
 * mailbox; shares the running jobs with the Dispatcher.
 */
final class JobArchiver {
  private static final Logger LOG = LoggerFactory.getLogger(JobArchiver.class);

  private final Map<JobId, RunningJob> running;
  private final AsyncJobStorage storage;
  private final JobArchive archive;
  private final HistoryWriter history;
  private final Context context;

  /**
   * The environment of the Dispatcher.
   *
   * @param fatal called with an error after which this process cannot continue
   */
  record Context(
      Env env, Mailbox mailbox, Consumer<JournalEntry> record, Consumer<Throwable> fatal) {}

  /**
   * @param running jobs from submission to archiving; archived jobs are removed
   */
  JobArchiver(
      Map<JobId, RunningJob> running,
      AsyncJobStorage storage,
      JobArchive archive,
      HistoryWriter history,
      Context context) {
    this.running = running;
    this.storage = storage;
    this.archive = archive;
    this.history = history;
    this.context = context;
  }

  /** Stores the result before it is reported: a job with a stored result is not run again. */
  void storeResult(RunningJob job, JobTermination end) {
    job.end = Optional.of(end);
    storage
        .putResult(new EndedJob(end.result(), end.overview()))
        .whenComplete(
            (kept, failure) -> {
              if (failure != null) {
                context.fatal().accept(failure);
              } else if (kept.overview().equals(end.overview())) {
                archive(job, end);
              } else {
                endedBefore(job, kept);
              }
            });
  }

  /**
   * Archives a job that ended under an earlier leader. An existing archive entry is kept; otherwise
   * the entry has only the result and the graph, if that is known.
   */
  void endedBefore(RunningJob job, EndedJob ended) {
    context
        .record()
        .accept(
            Dispatcher.entry(
                job.id(),
                new DispatcherEvent.JobEnded(
                    ended.result().status(), new EndedUnderEarlierLeader())));
    JobDetails details =
        job.graph
            .map(graph -> JobPlaceholder.details(ended, graph))
            .orElseGet(() -> JobPlaceholder.details(ended));
    ArchivedJob placeholder =
        new ArchivedJob(ended, details, context.env().journal().history(job.id()));
    JobTermination end =
        new JobTermination(
            ended.result(), details, ended.overview(), CollectedRecordsBuffer.nothing());
    job.end = Optional.of(end);
    job.endedBefore = true;
    stop(
        job,
        () ->
            archive
                .writeIfAbsent(placeholder)
                .thenRun(
                    () -> {
                      addToArchive(job, end, placeholder);
                      if (history.isEnabled()) {
                        // The earlier leader may have failed before it wrote the history.
                        archive
                            .readStored(job.id())
                            .thenAccept(stored -> stored.ifPresent(history::write));
                      }
                    }));
  }

  /** Archives details and history before the end of the job is reported. */
  private void archive(RunningJob job, JobTermination end) {
    EndedJob ended = new EndedJob(end.result(), end.overview());
    stop(
        job,
        () -> {
          context
              .record()
              .accept(Dispatcher.entry(job.id(), new JobArchived(end.result().status())));
          ArchivedJob archived =
              new ArchivedJob(
                  ended,
                  end.details(),
                  context.env().journal().history(job.id()),
                  end.checkpoints());
          archive
              .write(archived)
              .thenRun(
                  () -> {
                    addToArchive(job, end, summary(ended));
                    history.write(archived);
                  });
        });
  }

  /** The JobMaster stops before its collected records are moved to the archive. */
  private void stop(RunningJob job, Runnable then) {
    job.runner
        .map(JobMasterRunner::stop)
        .orElse(CompletableFuture.completedFuture(null))
        .whenComplete((nothing, failure) -> context.mailbox().post(then));
  }

  private void addToArchive(RunningJob job, JobTermination end, ArchivedJob summary) {
    running.remove(job.id());
    archive.add(summary, end.collected());
    job.archived.complete(end);
    cleanUp(job);
  }

  /** The archived job without graph and history. */
  static ArchivedJob summary(EndedJob ended) {
    return new ArchivedJob(ended, JobPlaceholder.details(ended), History.NONE);
  }

  private void cleanUp(RunningJob job) {
    storage
        .forget(job.id())
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                LOG.debug("Job {}: graph and jars removed", job.id());
                storage.cleanedUp(job.id());
              } else {
                LOG.warn("Job {}: graph or jars could not be removed", job.id(), failure);
              }
              job.cleanedUp.complete(Acknowledge.INSTANCE);
            });
  }
}
