package io.millrace.control.archive;

import io.millrace.control.jobmaster.CollectedRecordsBuffer;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ArchivedJob;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.JobOverview;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * Ended jobs: a bounded number of them, for a bounded time. Results are in memory; details and
 * history may have to be read from the store. Confined to one mailbox.
 */
public final class JobArchive {
  private final int capacity;
  private final long lifetimeNanos;
  private final Env env;
  private final Mailbox mailbox;
  private final ArchivedJobs archivedJobs;

  /** In the order in which the jobs ended, which is the order of expiry. */
  private final Map<JobId, Entry> entries = new LinkedHashMap<>();

  private boolean expiryScheduled;

  /**
   * @param summary shown if the archived job cannot be read
   */
  private record Entry(ArchivedJob summary, CollectedRecordsBuffer collected, long since) {}

  public JobArchive(Configuration configuration, ArchiveTargets targets, Env env, Mailbox mailbox) {
    this.capacity = Math.max(1, configuration.get(JobManagerOptions.JOB_STORE_MAX_CAPACITY));
    this.lifetimeNanos = configuration.get(JobManagerOptions.JOB_STORE_EXPIRATION_TIME).toNanos();
    this.env = env;
    this.mailbox = mailbox;
    this.archivedJobs =
        new ArchivedJobs(
            targets,
            configuration.get(JobManagerOptions.JOB_STORE_CACHE_SIZE).bytes(),
            env,
            mailbox);
  }

  /**
   * Restores the jobs that ended under earlier leaders and removes files of unknown jobs. Reads no
   * archived job.
   *
   * @param ended summaries, in the order in which the jobs ended
   * @param open whether a job has not ended, or is not archived yet
   */
  public void restore(List<ArchivedJob> ended, Predicate<JobId> open) {
    for (ArchivedJob summary : ended.subList(Math.max(0, ended.size() - capacity), ended.size())) {
      long age = ageNanos(summary.ended());
      if (age < lifetimeNanos) {
        put(summary, CollectedRecordsBuffer.nothing(), age);
      }
    }
    archivedJobs.clear(job -> entries.containsKey(job) || open.test(job));
    scheduleExpiry();
  }

  /**
   * Writes an ended job before it is added. Completes when it is written or writing has failed, in
   * which case it stays in memory. Never fails.
   */
  public CompletableFuture<Void> write(ArchivedJob archived) {
    return archivedJobs.write(archived);
  }

  /** As {@link #write}, but keeps what an earlier leader has written. */
  public CompletableFuture<Void> writeIfAbsent(ArchivedJob archived) {
    return archivedJobs.writeIfAbsent(archived);
  }

  /** Completes when nothing is being stored; nothing is stored from now on. */
  public CompletableFuture<Void> stop() {
    return archivedJobs.stop();
  }

  /**
   * @param summary shown if the archived job cannot be read
   * @param collected records that the client has not fetched yet
   */
  public void add(ArchivedJob summary, CollectedRecordsBuffer collected) {
    put(summary, collected, 0);
    expire();
    scheduleExpiry();
  }

  public Optional<EndedJob> find(JobId job) {
    return entry(job).map(entry -> entry.summary().ended());
  }

  public Optional<CollectedRecordsBuffer> collected(JobId job) {
    return entry(job).map(Entry::collected);
  }

  /** The archived job, or its summary if it cannot be read. Completes in the mailbox. */
  public CompletableFuture<Optional<ArchivedJob>> read(JobId job) {
    Optional<ArchivedJob> summary = entry(job).map(Entry::summary);
    return readStored(job).thenApply(stored -> stored.or(() -> summary));
  }

  /** The archived job, if the store has it. Completes in the mailbox. */
  public CompletableFuture<Optional<ArchivedJob>> readStored(JobId job) {
    return find(job)
        .map(archivedJobs::find)
        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
  }

  /** Overviews of all jobs, in the order in which they ended. */
  public List<JobOverview> all() {
    expire();
    List<JobOverview> overviews = new ArrayList<>();
    entries.values().forEach(entry -> overviews.add(entry.summary().ended().overview()));
    return overviews;
  }

  private Optional<Entry> entry(JobId job) {
    expire();
    return Optional.ofNullable(entries.get(job));
  }

  private void put(ArchivedJob summary, CollectedRecordsBuffer collected, long ageNanos) {
    entries.put(summary.job(), new Entry(summary, collected, env.nanos() - ageNanos));
  }

  private long ageNanos(EndedJob ended) {
    return Duration.ofMillis(Math.max(0, env.wallMillis() - ended.overview().endedAt())).toNanos();
  }

  private void expire() {
    mailbox.checkInside();
    Iterator<Map.Entry<JobId, Entry>> oldest = entries.entrySet().iterator();
    while (oldest.hasNext()) {
      Map.Entry<JobId, Entry> next = oldest.next();
      if (entries.size() <= capacity && leftNanos(next.getValue()) > 0) {
        return;
      }
      oldest.remove();
      env.journal().forget(next.getKey());
      archivedJobs.forget(next.getKey());
    }
  }

  private long leftNanos(Entry entry) {
    return lifetimeNanos - (env.nanos() - entry.since());
  }

  /** Deletes files at their expiry, also if no request arrives. */
  private void scheduleExpiry() {
    if (!expiryScheduled && !entries.isEmpty()) {
      expiryScheduled = true;
      mailbox.after(
          Duration.ofNanos(Math.max(0, leftNanos(entries.values().iterator().next()))),
          () -> {
            expiryScheduled = false;
            expire();
            scheduleExpiry();
          });
    }
  }
}
