package io.millrace.control.resourcemanager;

import io.millrace.core.config.ClusterOptions;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.rpc.journal.Event;
import java.util.Map;
import java.util.TreeMap;

/**
 * What was asked of which worker for which job, and what was answered, as the journal has it: a
 * line for each worker and one for all. Lives in the ResourceManager's mailbox.
 */
final class SlotRequestJournal {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final ResourceManagerContext term;
  private final String choice;
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
    boolean spread = term.configuration().get(ClusterOptions.EVENLY_SPREAD_OUT_SLOTS);
    this.choice =
        (spread ? "the least used workers first (" : "filling one worker after the other (")
            + ClusterOptions.EVENLY_SPREAD_OUT_SLOTS.key()
            + ": "
            + spread
            + ").";
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
    String whom =
        requested.size() == 1
            ? "worker " + requested.keySet().iterator().next()
            : requested.size() + " workers";
    term.journal()
        .accept(
            ResourceManagerContext.event(
                    "slots requested", slots(total) + " requested of " + whom + ", " + choice)
                .forJob(job)
                .counting(total));
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
        record(
            ResourceManagerContext.event(
                    "slots granted", slots(asked.granted) + " granted by " + worker + ".")
                .onWorker(worker)
                .counting(asked.granted),
            job,
            asked.since);
      }
    }
    if (round.open == 0) {
      rounds.remove(job);
      record(
          ResourceManagerContext.event(
                  "slots answered",
                  slots(round.granted)
                      + " granted by "
                      + (round.grantors == 1 ? "1 worker" : round.grantors + " workers")
                      + (round.refused == 0 ? "." : ", " + round.refused + " refused."))
              .counting(round.granted),
          job,
          round.since);
    }
  }

  private void record(Event event, JobId job, long since) {
    long took = Math.max(0, (term.env().nanos() - since) / NANOS_PER_MILLI);
    term.journal().accept(event.forJob(job).taking(took));
  }

  private static String slots(int count) {
    return count == 1 ? "1 slot" : count + " slots";
  }
}
