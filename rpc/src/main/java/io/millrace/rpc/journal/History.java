package io.millrace.rpc.journal;

import io.millrace.core.OrderedCopies;
import java.util.List;

/**
 * What a journal knows of one job, oldest first.
 *
 * @param events what was decided about the job
 * @param cluster what became of workers since the job's first event
 * @param dropped how many of the job's events had to go for newer ones
 */
public record History(List<JournalEntry> events, List<JournalEntry> cluster, long dropped) {
  public static final History NONE = new History(List.of(), List.of(), 0);

  public History {
    events = OrderedCopies.list(events);
    cluster = OrderedCopies.list(cluster);
  }
}
