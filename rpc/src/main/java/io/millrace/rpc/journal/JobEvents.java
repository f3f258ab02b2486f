package io.millrace.rpc.journal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * The events of one job. The first ones are always kept. Of the later ones the newest are kept, in
 * separate queues for events of the job and events of single workers: a job with a thousand workers
 * has thousands of the latter, which must not displace the former.
 */
final class JobEvents {
  static final int FIRST = 100;
  static final int OF_JOB = 150;
  static final int OF_WORKERS = 150;

  private final List<JournalEntry> first = new ArrayList<>();
  private final Deque<JournalEntry> ofJob = new ArrayDeque<>();
  private final Deque<JournalEntry> ofWorkers = new ArrayDeque<>();
  private long dropped;

  /** Returns whether an older event was dropped. */
  boolean add(JournalEntry event) {
    if (first.size() < FIRST) {
      first.add(event);
      return false;
    }
    Deque<JournalEntry> later = event.worker().isPresent() ? ofWorkers : ofJob;
    later.addLast(event);
    if (later.size() <= (later == ofJob ? OF_JOB : OF_WORKERS)) {
      return false;
    }
    later.removeFirst();
    dropped++;
    return true;
  }

  int size() {
    return first.size() + ofJob.size() + ofWorkers.size();
  }

  long dropped() {
    return dropped;
  }

  List<JournalEntry> inOrder() {
    List<JournalEntry> all = new ArrayList<>(first);
    all.addAll(ofJob);
    all.addAll(ofWorkers);
    all.sort(Comparator.comparingLong(JournalEntry::id));
    return all;
  }
}
