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
 * Records on their way from collecting tasks to the client, in numbered batches under the name of
 * their sink. A task whose batch does not find room is told so only when there is; since it sends
 * nothing meanwhile, what is held stays bounded.
 *
 * <p>Each record reaches the client at most once: when a region starts again, what it collected
 * before is dropped, and where the client has already seen some of it the job cannot go on.
 *
 * <p>A plain object, confined to the mailbox of whoever holds the job at the time.
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
    private final Set<Integer> seenRegions = new HashSet<>();

    /** Number of the first batch held. */
    private long first;

    /** Number after the last batch that was shown to the client. */
    private long shown;

    private long bytes;

    boolean hasRoom() {
      return batches.size() < MAX_BATCHES && bytes < MAX_BYTES;
    }
  }

  /** Of a job that has collected nothing and never will. */
  public static CollectedRecordsBuffer nothing() {
    CollectedRecordsBuffer collected = new CollectedRecordsBuffer();
    collected.complete();
    return collected;
  }

  /** Keeps a batch; {@code accepted} runs when there is room for the next one. */
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
   * Forgets what a region collected that the client has not seen. Returns whether it has seen some.
   */
  boolean restarted(int region) {
    boolean seen = false;
    for (Sink sink : sinks.values()) {
      seen |= sink.seenRegions.contains(region);
      long number = sink.first;
      List<Batch> kept = new ArrayList<>();
      for (Batch batch : sink.batches) {
        if (number++ < sink.shown || batch.region() != region) {
          kept.add(batch);
        } else {
          sink.bytes -= batch.records().length();
        }
      }
      sink.batches.clear();
      sink.batches.addAll(kept);
      unblock(sink);
    }
    return seen;
  }

  /** Nothing more will come. */
  void complete() {
    complete = true;
    for (Sink sink : sinks.values()) {
      sink.blocked.forEach(Runnable::run);
      sink.blocked.clear();
    }
  }

  /** Whether a page from this number on would tell the client anything. */
  boolean hasNews(String name, long next) {
    Sink sink = sinks.get(name);
    return complete || (sink != null && sink.first + sink.batches.size() > next);
  }

  /** The batches from a number on; those before it are acknowledged by asking and forgotten. */
  public CollectedPage page(String name, long next) {
    Sink sink = sinks.get(name);
    if (sink == null && next == 0) {
      return new CollectedPage(true, 0, List.of(), complete);
    }
    // Past what was shown, the client has read from an earlier run of the job.
    if (sink == null || next < sink.first || next > sink.shown) {
      throw new MillraceException(
          ErrorKind.USER,
          "Batch "
              + next
              + " of '"
              + name
              + "' is not here: collected records are handed out once, to one client, in order."
              + " Run the job again to read them from the beginning.");
    }
    while (sink.first < next) {
      sink.bytes -= sink.batches.remove().records().length();
      sink.first++;
    }
    List<Bytes> page = new ArrayList<>();
    long size = 0;
    long number = next;
    for (Batch batch : sink.batches) {
      if (!page.isEmpty() && size + batch.records().length() > PAGE_BYTES) {
        break;
      }
      page.add(batch.records());
      size += batch.records().length();
      number++;
      sink.seenRegions.add(batch.region());
    }
    sink.shown = Math.max(sink.shown, number);
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
