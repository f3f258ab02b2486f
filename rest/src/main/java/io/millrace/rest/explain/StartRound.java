package io.millrace.rest.explain;

import io.millrace.core.id.WorkerId;
import io.millrace.protocol.Timeline.Step;
import io.millrace.rpc.journal.Event;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One start of a job, from its JobMaster or a failure to the next failure or the end. */
final class StartRound {
  private static final String JOB_MANAGER = "jobmanager";

  /** Slots that come one by one are told apart up to here. */
  private static final int WAVES = 3;

  private final int number;
  private final Optional<Event> began;

  /** The first and the last event of each kind; those of a kind are aggregated into one step. */
  private final Map<String, Event> first = new LinkedHashMap<>();

  private final Map<String, Event> last = new LinkedHashMap<>();

  /** Which workers the events of a kind are of. */
  private final Map<String, Set<WorkerId>> workers = new LinkedHashMap<>();

  private final List<Event> beside = new ArrayList<>();
  private final List<SlotWave> waves = new ArrayList<>();
  private Set<WorkerId> hosts = new LinkedHashSet<>();

  /**
   * @param began what made the job start anew; nothing for its first start
   */
  StartRound(int number, Optional<Event> began) {
    this.number = number;
    this.began = began;
  }

  Optional<Event> began() {
    return began;
  }

  boolean hasJobMaster() {
    return first.containsKey("jobmaster started");
  }

  /** The workers whose slots the job has when its tasks are deployed. */
  void deployedTo(Set<WorkerId> workers) {
    hosts = new LinkedHashSet<>(workers);
  }

  boolean isComplete() {
    return first.containsKey("slots complete");
  }

  void add(Event event) {
    // ResourceManager and JobMaster both write down some things; the job's own view counts.
    boolean twice =
        (event.what().equals("slots declared") || event.what().equals("jobmaster registered"))
            && !event.component().equals("jobmaster");
    if (!twice) {
      keep(event.what(), event);
    }
    boolean asks = event.what().equals("slots requested");
    boolean offers =
        event.what().equals("worker registered") || event.what().equals("slots accepted");
    if (waves.isEmpty() ? asks || offers : asks && newest().isAnswered() && waves.size() < WAVES) {
      waves.add(new SlotWave(number, event));
    } else if (!waves.isEmpty()) {
      newest().add(event);
    }
  }

  private SlotWave newest() {
    return waves.get(waves.size() - 1);
  }

  /** Something became of a worker, which is about this job only where it then got slots of it. */
  void addWorker(Event event) {
    beside.add(event);
  }

  /**
   * @param end when this round was over; -1 where it is not
   */
  void addTo(List<Step> steps, Optional<Event> accepted, long end) {
    addWorkers();
    began
        .filter(event -> event.what().equals("restart"))
        .ifPresent(
            event ->
                add(
                    steps,
                    "Restart " + event.count(),
                    JOB_MANAGER,
                    event.wallMillis(),
                    ended("job RUNNING", end),
                    event.counting(0)));
    Event started = first.get("jobmaster started");
    if (started != null) {
      long since = accepted.map(Event::wallMillis).orElse(started.wallMillis());
      add(steps, "Start JobMaster", JOB_MANAGER, since, started.wallMillis(), started);
      add(
          steps,
          "Register at ResourceManager",
          JOB_MANAGER,
          started.wallMillis(),
          ended("jobmaster registered", end),
          last.getOrDefault("jobmaster registered", started));
    }
    addSlots(steps, end);
    addTasks(steps, end);
  }

  private void addSlots(List<Step> steps, long end) {
    Event wanted = first.get("slots wanted");
    Event declared = first.get("slots declared");
    Event complete = last.get("slots complete");
    if (hasJobMaster() && declared != null) {
      long at = declared.wallMillis();
      add(steps, "Declare slots", JOB_MANAGER, at, at, declared);
    }
    if (wanted != null) {
      add(
          steps,
          "Wait for slots",
          JOB_MANAGER,
          wanted.wallMillis(),
          complete == null ? end : complete.wallMillis(),
          (complete == null ? last.getOrDefault("slots missing", wanted) : complete)
              .counting(wanted.count()));
    }
    span(steps, "Request workers", "workers requested", "workers requested");
    span(steps, "Start workers", "worker started", "workers requested", "worker started");
    span(
        steps,
        "Register workers",
        "worker came",
        "worker started",
        "workers requested",
        "worker came");
    span(steps, "Report slots", "slots reported", "worker came", "slots reported");
    waves.forEach(wave -> wave.addTo(steps, end));
  }

  private void addTasks(List<Step> steps, long end) {
    Event deployed = first.get("tasks deployed");
    if (deployed == null) {
      return;
    }
    long at = deployed.wallMillis();
    Event taken = last.getOrDefault("tasks taken", deployed);
    add(steps, "Deploy tasks", JOB_MANAGER, at, taken.wallMillis(), deployed);
    Event one = first.get("first task running");
    if (one != null) {
      add(steps, "First task running", process("first task running"), at, one.wallMillis(), one);
    }
    Event all = first.get("tasks running");
    String ran = Phrases.process(hosts);
    if (all == null && end < 0) {
      add(steps, "All tasks running", ran, at, end, deployed);
    } else if (all == null && one != null) {
      add(steps, "Some tasks running", ran, one.wallMillis(), end, deployed.counting(0));
    } else if (all != null) {
      add(steps, "All tasks running", ran, at, all.wallMillis(), all);
      add(steps, "Run", ran, all.wallMillis(), end, all);
    }
  }

  /** Takes in what became of workers while the job waited for slots. */
  private void addWorkers() {
    Event wanted = first.get("slots wanted");
    Event complete = last.get("slots complete");
    if (wanted == null) {
      return;
    }
    Set<WorkerId> ours = workers.getOrDefault("slots accepted", new LinkedHashSet<>());
    for (Event event : beside) {
      boolean inTime = complete == null || event.id() < complete.id();
      boolean ofUse = complete == null || event.worker().map(ours::contains).orElse(true);
      if (event.id() > wanted.id() && inTime && ofUse) {
        // The same word is used for a registration at the JobMaster.
        keep(event.what().equals("worker registered") ? "worker came" : event.what(), event);
      }
    }
  }

  private void keep(String kind, Event event) {
    first.putIfAbsent(kind, event);
    last.put(kind, event);
    event
        .worker()
        .ifPresent(worker -> workers.computeIfAbsent(kind, x -> new LinkedHashSet<>()).add(worker));
  }

  /**
   * A step from the first event of the first kind there is of those given to the last of its own.
   */
  private void span(List<Step> steps, String name, String kind, String... from) {
    Event done = last.get(kind);
    if (done == null) {
      return;
    }
    long start = -1;
    for (String earlier : from) {
      if (start < 0 && first.containsKey(earlier)) {
        start = first.get(earlier).wallMillis();
      }
    }
    Set<WorkerId> ofKind = workers.getOrDefault(kind, new LinkedHashSet<>());
    boolean driver = ofKind.isEmpty();
    int count = ofKind.size();
    steps.add(
        new Step(
            number,
            name,
            driver ? JOB_MANAGER : process(kind),
            Math.min(start, done.wallMillis()),
            done.wallMillis(),
            count,
            count > 1
                ? Phrases.counted(count, "TaskManager") + "."
                : Phrases.sentence(done.detail())));
  }

  private String process(String kind) {
    return Phrases.process(workers.getOrDefault(kind, new LinkedHashSet<>()));
  }

  private long ended(String kind, long otherwise) {
    return last.containsKey(kind) ? last.get(kind).wallMillis() : otherwise;
  }

  private void add(
      List<Step> steps, String name, String process, long start, long end, Event event) {
    steps.add(
        new Step(
            number,
            name,
            process,
            start,
            Phrases.after(start, end),
            event.count(),
            Phrases.sentence(event.detail())));
  }
}
