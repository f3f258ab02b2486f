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
 * A bounded log of decisions. All mailboxes of the process write to it, hence the lock, which is
 * held for a queue operation only.
 */
public final class Journal {
  private static final int MAX_CLUSTER_EVENTS = 2000;
  private static final int MAX_JOBS = 1000;

  /**
   * The maximum number of cluster events in a job's history, from its beginning and from its end
   * each.
   */
  private static final int CLUSTER_EVENTS_PER_JOB = 150;

  private final long origin;
  private final LongSupplier wallMillis;
  private final Consumer<JournalEntry> listener;

  /**
   * Least recently written first, so that many short jobs do not displace the events of a
   * long-lived one.
   */
  private final Map<JobId, JobEvents> byJob = new LinkedHashMap<>();

  private final Deque<JournalEntry> cluster = new ArrayDeque<>();
  private long next;
  private long dropped;

  /**
   * @param origin distinguishes the events of this process from those of others; every id starts
   *     with its high bits
   */
  public Journal(long origin, LongSupplier wallMillis) {
    this(origin, wallMillis, event -> {});
  }

  /**
   * @param listener gets each event before anything is dropped. It is called with the lock held and
   *     must be fast.
   */
  public Journal(long origin, LongSupplier wallMillis, Consumer<JournalEntry> listener) {
    this.origin = origin & 0x7fff_ff00_0000_0000L;
    this.wallMillis = wallMillis;
    this.listener = listener;
  }

  /** Stores the event and returns its id. */
  public synchronized long append(JournalEntry event) {
    JournalEntry kept = event.appended(origin | ++next, wallMillis.getAsLong());
    listener.accept(kept);
    Optional<JobId> job = event.job();
    if (job.isPresent()) {
      JobEvents events = byJob.remove(job.get());
      if (events == null) {
        events = new JobEvents();
      }
      byJob.put(job.get(), events);
      dropped += events.add(kept) ? 1 : 0;
      if (byJob.size() > MAX_JOBS) {
        var oldest = byJob.entrySet().iterator();
        dropped += oldest.next().getValue().size();
        oldest.remove();
      }
    } else {
      cluster.addLast(kept);
      if (cluster.size() > MAX_CLUSTER_EVENTS) {
        cluster.removeFirst();
        dropped++;
      }
    }
    return kept.id();
  }

  /** The events of a job, oldest first. */
  public synchronized List<JournalEntry> of(JobId job) {
    JobEvents events = byJob.get(job);
    return events == null ? new ArrayList<>() : events.inOrder();
  }

  /** The events of a job and the events of workers since its first event. */
  public synchronized History history(JobId job) {
    JobEvents events = byJob.get(job);
    if (events == null) {
      return History.NONE;
    }
    List<JournalEntry> own = events.inOrder();
    List<JournalEntry> clusterEvents = new ArrayList<>();
    for (JournalEntry event : cluster) {
      if (event.id() > own.get(0).id()) {
        clusterEvents.add(event);
      }
    }
    if (clusterEvents.size() > 2 * CLUSTER_EVENTS_PER_JOB) {
      clusterEvents
          .subList(CLUSTER_EVENTS_PER_JOB, clusterEvents.size() - CLUSTER_EVENTS_PER_JOB)
          .clear();
    }
    return new History(own, clusterEvents, events.dropped());
  }

  /** The events that belong to no job, oldest first. */
  public synchronized List<JournalEntry> ofCluster() {
    return new ArrayList<>(cluster);
  }

  public synchronized void forget(JobId job) {
    byJob.remove(job);
  }

  /** The number of events that were dropped for newer ones. */
  public synchronized long dropped() {
    return dropped;
  }
}
