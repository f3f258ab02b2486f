package io.millrace.control.jobmaster;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Collected records on their way from tasks to the client, in numbered batches per sink. A batch
 * that exceeds the limit is acknowledged only when there is room; its task sends nothing meanwhile,
 * so the buffer is bounded.
 *
 * <p>Each record reaches the client at most once: when a region restarts, its unread records are
 * dropped, and if the client has read some of its records the job cannot continue.
 *
 * <p>A plain object, confined to the mailbox of its current owner: the JobMaster, then the
 * Dispatcher.
 */
public final class CollectedRecordsBuffer {
  private static final int MAX_BATCHES = 64;
  private static final long MAX_BYTES = 8L << 20;
  private static final int PAGE_BYTES = 512 * 1024;

  private final Map<String, Sink> sinks = new LinkedHashMap<>();
  private boolean complete;

  private record Batch(int region, Bytes records) {}

  private static final class Sink {
    private final Deque<Batch> batches = new ArrayDeque<>();
    private final Deque<Runnable> blocked = new ArrayDeque<>();
    private final Set<Integer> readRegions = new HashSet<>();

    /** The number of the first batch in the buffer. */
    private long first;

    /** The number after the last batch that was sent to the client. */
    private long sent;

    private long bytes;

    boolean hasRoom() {
      return batches.size() < MAX_BATCHES && bytes < MAX_BYTES;
    }
  }

  /** The buffer of a job that collects no records. */
  public static CollectedRecordsBuffer nothing() {
    CollectedRecordsBuffer collected = new CollectedRecordsBuffer();
    collected.complete();
    return collected;
  }

  /** Adds a batch. {@code accepted} runs when there is room for the next one. */
  void add(int region, String name, Bytes records, Runnable accepted) {
    Sink sink = sinks.computeIfAbsent(name, x -> new Sink());
    sink.batches.add(new Batch(region, records));
    sink.bytes += records.length();
    if (sink.hasRoom()) {
      accepted.run();
    } else {
      sink.blocked.add(accepted);
    }
  }

  /**
   * Drops the unread records of a region. Returns whether the client has read some of its records.
   */
  boolean restarted(int region) {
    boolean read = false;
    for (Sink sink : sinks.values()) {
      read |= sink.readRegions.contains(region);
      long batchNumber = sink.first;
      List<Batch> kept = new ArrayList<>();
      for (Batch batch : sink.batches) {
        if (batchNumber++ < sink.sent || batch.region() != region) {
          kept.add(batch);
        } else {
          sink.bytes -= batch.records().length();
        }
      }
      sink.batches.clear();
      sink.batches.addAll(kept);
      unblock(sink);
    }
    return read;
  }

  /** No further records follow. */
  void complete() {
    complete = true;
    for (Sink sink : sinks.values()) {
      sink.blocked.forEach(Runnable::run);
      sink.blocked.clear();
    }
  }

  /** Whether a page from this number would contain records or the end. */
  boolean hasNews(String name, long next) {
    Sink sink = sinks.get(name);
    return complete || (sink != null && sink.first + sink.batches.size() > next);
  }

  /** The batches from a number. Earlier batches are acknowledged and dropped. */
  public CollectedPage page(String name, long next) {
    Sink sink = sinks.get(name);
    if (sink == null && next == 0) {
      return new CollectedPage(true, 0, List.of(), complete);
    }
    // A higher number means that the client has read from an earlier run of the job.
    if (sink == null || next < sink.first || next > sink.sent) {
      throw new MillraceException(
          ErrorKind.USER,
          "Batch "
              + next
              + " of '"
              + name
              + "' is not available: collected records are sent once, to one client, in order."
              + " Run the job again to read them from the beginning.");
    }
    while (sink.first < next) {
      sink.bytes -= sink.batches.remove().records().length();
      sink.first++;
    }
    List<Bytes> page = new ArrayList<>();
    long size = 0;
    long batchNumber = next;
    for (Batch batch : sink.batches) {
      if (!page.isEmpty() && size + batch.records().length() > PAGE_BYTES) {
        break;
      }
      page.add(batch.records());
      size += batch.records().length();
      batchNumber++;
      sink.readRegions.add(batch.region());
    }
    sink.sent = Math.max(sink.sent, batchNumber);
    unblock(sink);
    return new CollectedPage(true, next, page, complete && page.size() == sink.batches.size());
  }

  private static void unblock(Sink sink) {
    int room = sink.hasRoom() ? MAX_BATCHES - sink.batches.size() : 0;
    for (; room > 0 && !sink.blocked.isEmpty(); room--) {
      sink.blocked.remove().run();
    }
  }
}
