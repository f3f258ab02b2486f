package io.millrace.control.archive;

import io.millrace.core.id.JobId;
import io.millrace.protocol.ArchivedJob;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The pages that were asked for last, up to a number of bytes. Lives in one mailbox. */
final class ArchiveCache {
  private final long capacity;

  /** Least recently asked for first. */
  private final Map<JobId, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

  private long bytes;

  private record Entry(ArchivedJob page, int bytes) {}

  ArchiveCache(long capacity) {
    this.capacity = capacity;
  }

  /**
   * @param size as it is stored
   */
  void put(ArchivedJob page, int size) {
    remove(page.job());
    if (size > capacity) {
      return;
    }
    entries.put(page.job(), new Entry(page, size));
    bytes += size;
    Iterator<Entry> oldest = entries.values().iterator();
    while (bytes > capacity) {
      bytes -= oldest.next().bytes();
      oldest.remove();
    }
  }

  Optional<ArchivedJob> find(JobId job) {
    return Optional.ofNullable(entries.get(job)).map(Entry::page);
  }

  void remove(JobId job) {
    Entry removed = entries.remove(job);
    if (removed != null) {
      bytes -= removed.bytes();
    }
  }
}
