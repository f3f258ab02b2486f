package io.millrace.control.dispatcher;

import io.millrace.control.jobmaster.JobEnd;
import io.millrace.core.id.JobId;
import io.millrace.rpc.journal.History;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** The jobs that have ended: a bounded number of them, for a while. Lives in one mailbox. */
final class Archive {
  private final int capacity;
  private final long lifetimeNanos;
  private final LongSupplier nanos;
  private final Consumer<JobId> forgotten;

  /** In the order in which they ended, which is the order in which they expire. */
  private final Map<JobId, Entry> entries = new LinkedHashMap<>();

  private record Entry(JobEnd end, History history, long since) {}

  Archive(int capacity, Duration lifetime, LongSupplier nanos, Consumer<JobId> forgotten) {
    this.capacity = Math.max(1, capacity);
    this.lifetimeNanos = lifetime.toNanos();
    this.nanos = nanos;
    this.forgotten = forgotten;
  }

  /**
   * @param history of the job, which the journal forgets when other jobs need the room
   */
  void add(JobEnd end, History history) {
    add(end, history, Duration.ZERO);
  }

  /**
   * @param ago when it ended; not before those that are here already
   */
  void add(JobEnd end, History history, Duration ago) {
    entries.put(end.result().job(), new Entry(end, history, nanos.getAsLong() - ago.toNanos()));
    expire();
  }

  Optional<JobEnd> find(JobId job) {
    expire();
    return Optional.ofNullable(entries.get(job)).map(Entry::end);
  }

  Optional<History> history(JobId job) {
    expire();
    return Optional.ofNullable(entries.get(job)).map(Entry::history);
  }

  List<JobEnd> all() {
    expire();
    List<JobEnd> all = new ArrayList<>();
    entries.values().forEach(entry -> all.add(entry.end()));
    return all;
  }

  private void expire() {
    Iterator<Map.Entry<JobId, Entry>> oldest = entries.entrySet().iterator();
    while (oldest.hasNext()) {
      Map.Entry<JobId, Entry> next = oldest.next();
      if (entries.size() <= capacity
          && nanos.getAsLong() - next.getValue().since() < lifetimeNanos) {
        return;
      }
      oldest.remove();
      forgotten.accept(next.getKey());
    }
  }
}
