package io.millrace.control.resourcemanager;

import io.millrace.core.config.ClusterOptions;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotRequestsAnswered;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsGranted;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsRequested;
import io.millrace.rpc.journal.JournalEntry;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What was asked of which worker for which job, and what was answered, as the journal has it: a
 * line for each worker and one for all. Lives in the ResourceManager's mailbox.
 */
final class SlotRequestJournal {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final ResourceManagerContext term;
  private final boolean spread;
  private final Map<JobId, Round> rounds = new TreeMap<>();

  /** From the first request of a job until none is open. */
  private static final class Round {
    private final long since;
    private final Map<WorkerId, Asked> workers = new TreeMap<>();
    private int open;
    private int granted;
    private int refused;
    private int grantors;

    Round(long since) {
      this.since = since;
    }
  }

  private static final class Asked {
    private final long since;
    private int granted;
    private int open;

    Asked(long since) {
      this.since = since;
    }
  }

  SlotRequestJournal(ResourceManagerContext term) {
    this.term = term;
    this.spread = term.configuration().get(ClusterOptions.EVENLY_SPREAD_OUT_SLOTS);
  }

  void begin(JobId job, Map<WorkerId, Integer> requested) {
    long now = term.env().nanos();
    Round round = rounds.computeIfAbsent(job, x -> new Round(now));
    int total = 0;
    for (Map.Entry<WorkerId, Integer> entry : requested.entrySet()) {
      round.workers.computeIfAbsent(entry.getKey(), x -> new Asked(now)).open += entry.getValue();
      total += entry.getValue();
    }
    round.open += total;
    Optional<WorkerId> only =
        requested.size() == 1
            ? Optional.of(requested.keySet().iterator().next())
            : Optional.empty();
    term.record(new SlotsRequested(total, requested.size(), only, spread), job);
  }

  void answered(JobId job, WorkerId worker, boolean granted) {
    Round round = rounds.get(job);
    Asked asked = round.workers.get(worker);
    asked.open--;
    round.open--;
    if (granted) {
      asked.granted++;
      round.granted++;
    } else {
      round.refused++;
    }
    if (asked.open == 0) {
      round.workers.remove(worker);
      if (asked.granted > 0) {
        round.grantors++;
        record(JournalEntry.of(new SlotsGranted(asked.granted)).onWorker(worker), job, asked.since);
      }
    }
    if (round.open == 0) {
      rounds.remove(job);
      record(
          JournalEntry.of(new SlotRequestsAnswered(round.granted, round.grantors, round.refused)),
          job,
          round.since);
    }
  }

  private void record(JournalEntry entry, JobId job, long since) {
    long took = Math.max(0, (term.env().nanos() - since) / NANOS_PER_MILLI);
    term.journal().accept(entry.forJob(job).taking(took));
  }
}
