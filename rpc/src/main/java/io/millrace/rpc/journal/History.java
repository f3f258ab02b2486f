package io.millrace.rpc.journal;

import io.millrace.core.OrderedCopies;
import java.util.List;

/**
 * The events of one job in the journal, oldest first.
 *
 * @param events the events of the job
 * @param cluster the events of workers since the first event of the job
 * @param dropped the number of events of the job that were dropped for newer ones
 */
public record History(List<JournalEntry> events, List<JournalEntry> cluster, long dropped) {
  public static final History NONE = new History(List.of(), List.of(), 0);

  public History {
    events = OrderedCopies.list(events);
    cluster = OrderedCopies.list(cluster);
  }
}
