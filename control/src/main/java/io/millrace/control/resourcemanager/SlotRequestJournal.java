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
 * Records slot requests and their answers in the journal: one event per worker and one per job.
 * Lives in the mailbox of the ResourceManager.
 */
final class SlotRequestJournal {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final ResourceManagerContext context;
  private final boolean spread;
  private final Map<JobId, Round> rounds = new TreeMap<>();

  /** The time from the first request of a job until no request is open. */
  private static final class Round {
    private final long since;
    private final Map<WorkerId, WorkerRequests> workers = new TreeMap<>();
    private int open;
    private int granted;
    private int refused;
    private int grantingWorkers;

    Round(long since) {
      this.since = since;
    }
  }

  private static final class WorkerRequests {
    private final long since;
    private int granted;
    private int open;

    WorkerRequests(long since) {
      this.since = since;
    }
  }

  SlotRequestJournal(ResourceManagerContext context) {
    this.context = context;
    this.spread = context.configuration().get(ClusterOptions.EVENLY_SPREAD_OUT_SLOTS);
  }

  void begin(JobId job, Map<WorkerId, Integer> requested) {
    long now = context.env().nanos();
    Round round = rounds.computeIfAbsent(job, key -> new Round(now));
    int total = 0;
    for (Map.Entry<WorkerId, Integer> entry : requested.entrySet()) {
      round.workers.computeIfAbsent(entry.getKey(), key -> new WorkerRequests(now)).open +=
          entry.getValue();
      total += entry.getValue();
    }
    round.open += total;
    Optional<WorkerId> only =
        requested.size() == 1
            ? Optional.of(requested.keySet().iterator().next())
            : Optional.empty();
    context.record(new SlotsRequested(total, requested.size(), only, spread), job);
  }

  void answered(JobId job, WorkerId worker, boolean granted) {
    Round round = rounds.get(job);
    WorkerRequests requests = round.workers.get(worker);
    requests.open--;
    round.open--;
    if (granted) {
      requests.granted++;
      round.granted++;
    } else {
      round.refused++;
    }
    if (requests.open == 0) {
      round.workers.remove(worker);
      if (requests.granted > 0) {
        round.grantingWorkers++;
        record(
            JournalEntry.of(new SlotsGranted(requests.granted)).onWorker(worker),
            job,
            requests.since);
      }
    }
    if (round.open == 0) {
      rounds.remove(job);
      record(
          JournalEntry.of(
              new SlotRequestsAnswered(round.granted, round.grantingWorkers, round.refused)),
          job,
          round.since);
    }
  }

  private void record(JournalEntry entry, JobId job, long since) {
    long took = Math.max(0, (context.env().nanos() - since) / NANOS_PER_MILLI);
    context.journal().accept(entry.forJob(job).taking(took));
  }
}
