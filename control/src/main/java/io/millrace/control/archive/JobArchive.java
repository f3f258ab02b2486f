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
 * The jobs that have ended: a bounded number of them, for a while. How they ended is in memory;
 * what else is told of them may have to be read first. Lives in one mailbox.
 */
public final class JobArchive {
  private final int capacity;
  private final long lifetimeNanos;
  private final Env env;
  private final Mailbox mailbox;
  private final ArchivedJobs pages;

  /** In the order in which they ended, which is the order in which they expire. */
  private final Map<JobId, Entry> entries = new LinkedHashMap<>();

  private boolean expiryDue;

  /**
   * @param sketch what can be told of the job without its page
   */
  private record Entry(ArchivedJob sketch, CollectedRecordsBuffer collected, long since) {}

  public JobArchive(
      Configuration configuration, Optional<ArchiveStore> store, Env env, Mailbox mailbox) {
    this.capacity = Math.max(1, configuration.get(JobManagerOptions.JOB_STORE_MAX_CAPACITY));
    this.lifetimeNanos = configuration.get(JobManagerOptions.JOB_STORE_EXPIRATION_TIME).toNanos();
    this.env = env;
    this.mailbox = mailbox;
    this.pages =
        new ArchivedJobs(
            store, configuration.get(JobManagerOptions.JOB_STORE_CACHE_SIZE).bytes(), env, mailbox);
  }

  /**
   * Begins with the jobs that ended under earlier leaders, and removes what is stored of any other
   * that has ended. No page is read.
   *
   * @param ended sketches, in the order of the ends
   * @param open whether a job has not come here yet
   */
  public void begin(List<ArchivedJob> ended, Predicate<JobId> open) {
    for (ArchivedJob sketch : ended.subList(Math.max(0, ended.size() - capacity), ended.size())) {
      long ago = agoNanos(sketch.ended());
      if (ago < lifetimeNanos) {
        put(sketch, CollectedRecordsBuffer.nothing(), ago);
      }
    }
    pages.clear(job -> entries.containsKey(job) || open.test(job));
    scheduleExpiry();
  }

  /**
   * Stores all that is known of a job, before it is added. Completes when that is done or did not
   * work, in which case this remembers it; never fails.
   */
  public CompletableFuture<Void> keep(ArchivedJob page) {
    return pages.keep(page);
  }

  /** As {@link #keep}, but what an earlier leader has stored of the job stays. */
  public CompletableFuture<Void> keepUnlessKept(ArchivedJob page) {
    return pages.keepUnlessKept(page);
  }

  /** Completes when nothing is being stored; nothing is stored from now on. */
  public CompletableFuture<Void> stop() {
    return pages.stop();
  }

  /**
   * @param sketch shown where the page of the job cannot be read
   * @param collected what its client has not fetched yet
   */
  public void add(ArchivedJob sketch, CollectedRecordsBuffer collected) {
    put(sketch, collected, 0);
    expire();
    scheduleExpiry();
  }

  public Optional<EndedJob> find(JobId job) {
    return entry(job).map(entry -> entry.sketch().ended());
  }

  public Optional<CollectedRecordsBuffer> collected(JobId job) {
    return entry(job).map(Entry::collected);
  }

  /** All that can be told of a job; completes in the mailbox. */
  public CompletableFuture<Optional<ArchivedJob>> page(JobId job) {
    Optional<ArchivedJob> sketch = entry(job).map(Entry::sketch);
    return stored(job).thenApply(page -> page.or(() -> sketch));
  }

  /** The page of a job that was kept; completes in the mailbox. */
  public CompletableFuture<Optional<ArchivedJob>> stored(JobId job) {
    return find(job)
        .map(pages::find)
        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
  }

  /** A line about each, in the order in which they ended. */
  public List<JobOverview> all() {
    expire();
    List<JobOverview> all = new ArrayList<>();
    entries.values().forEach(entry -> all.add(entry.sketch().ended().overview()));
    return all;
  }

  private Optional<Entry> entry(JobId job) {
    expire();
    return Optional.ofNullable(entries.get(job));
  }

  private void put(ArchivedJob sketch, CollectedRecordsBuffer collected, long agoNanos) {
    entries.put(sketch.job(), new Entry(sketch, collected, env.nanos() - agoNanos));
  }

  private long agoNanos(EndedJob ended) {
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
      pages.forget(next.getKey());
    }
  }

  private long leftNanos(Entry entry) {
    return lifetimeNanos - (env.nanos() - entry.since());
  }

  /** Files go when their time has come, also where nobody asks for jobs any more. */
  private void scheduleExpiry() {
    if (!expiryDue && !entries.isEmpty()) {
      expiryDue = true;
      mailbox.after(
          Duration.ofNanos(Math.max(0, leftNanos(entries.values().iterator().next()))),
          () -> {
            expiryDue = false;
            expire();
            scheduleExpiry();
          });
    }
  }
}
