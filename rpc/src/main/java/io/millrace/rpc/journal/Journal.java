package io.millrace.rpc.journal;

import io.millrace.core.id.JobId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A bounded memory of decisions. Written from every mailbox of the process, hence the lock; it is
 * held for the time of a queue operation only.
 */
public final class Journal {
  private static final int PER_CLUSTER = 2000;
  private static final int JOBS = 1000;

  /** Of the cluster's events that go with a job: so many of its beginning, and of its end. */
  private static final int BESIDE_JOB = 150;

  private final long origin;
  private final LongSupplier wallMillis;
  private final Consumer<JournalEntry> witness;

  /**
   * Least recently written first, so that a long-lived job keeps its past among many short ones.
   */
  private final Map<JobId, JobEvents> byJob = new LinkedHashMap<>();

  private final Deque<JournalEntry> cluster = new ArrayDeque<>();
  private long next;
  private long dropped;

  /**
   * @param origin tells events of this process from those of others; its high bits begin every id
   */
  public Journal(long origin, LongSupplier wallMillis) {
    this(origin, wallMillis, event -> {});
  }

  /**
   * @param witness sees each event as it is written, before anything is dropped; called with the
   *     lock held, so it only takes notes
   */
  public Journal(long origin, LongSupplier wallMillis, Consumer<JournalEntry> witness) {
    this.origin = origin & 0x7fff_ff00_0000_0000L;
    this.wallMillis = wallMillis;
    this.witness = witness;
  }

  /** Keeps the event and returns its id. */
  public synchronized long append(JournalEntry event) {
    JournalEntry kept = event.appended(origin | ++next, wallMillis.getAsLong());
    witness.accept(kept);
    Optional<JobId> job = event.job();
    if (job.isPresent()) {
      JobEvents events = byJob.remove(job.get());
      if (events == null) {
        events = new JobEvents();
      }
      byJob.put(job.get(), events);
      dropped += events.add(kept) ? 1 : 0;
      if (byJob.size() > JOBS) {
        var oldest = byJob.entrySet().iterator();
        dropped += oldest.next().getValue().size();
        oldest.remove();
      }
    } else {
      cluster.addLast(kept);
      if (cluster.size() > PER_CLUSTER) {
        cluster.removeFirst();
        dropped++;
      }
    }
    return kept.id();
  }

  /** What is known of a job, oldest first. */
  public synchronized List<JournalEntry> of(JobId job) {
    JobEvents events = byJob.get(job);
    return events == null ? new ArrayList<>() : events.inOrder();
  }

  /** What is known of a job, with what became of workers since it came. */
  public synchronized History history(JobId job) {
    JobEvents events = byJob.get(job);
    if (events == null) {
      return History.NONE;
    }
    List<JournalEntry> own = events.inOrder();
    List<JournalEntry> beside = new ArrayList<>();
    for (JournalEntry event : cluster) {
      if (event.id() > own.get(0).id()) {
        beside.add(event);
      }
    }
    if (beside.size() > 2 * BESIDE_JOB) {
      beside.subList(BESIDE_JOB, beside.size() - BESIDE_JOB).clear();
    }
    return new History(own, beside, events.dropped());
  }

  /** What is known of the cluster beyond single jobs, oldest first. */
  public synchronized List<JournalEntry> ofCluster() {
    return new ArrayList<>(cluster);
  }

  public synchronized void forget(JobId job) {
    byJob.remove(job);
  }

  /** How many events had to go for newer ones. */
  public synchronized long dropped() {
    return dropped;
  }
}
