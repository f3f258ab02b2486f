package io.millrace.rest.explain;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.journal.JobMasterEvent.FirstTaskRunning;
import io.millrace.protocol.journal.JobMasterEvent.JobMasterStarted;
import io.millrace.protocol.journal.JobMasterEvent.RegisteredAtResourceManager;
import io.millrace.protocol.journal.JobMasterEvent.RestartScheduled;
import io.millrace.protocol.journal.JobMasterEvent.ShortageReported;
import io.millrace.protocol.journal.JobMasterEvent.SlotsAccepted;
import io.millrace.protocol.journal.JobMasterEvent.SlotsComplete;
import io.millrace.protocol.journal.JobMasterEvent.SlotsDeclared;
import io.millrace.protocol.journal.JobMasterEvent.SlotsWanted;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.journal.JobMasterEvent.TasksDeployed;
import io.millrace.protocol.journal.JobMasterEvent.TasksRunning;
import io.millrace.protocol.journal.JobMasterEvent.TasksTaken;
import io.millrace.protocol.journal.JobMasterEvent.WorkerRegistered;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsReported;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsRequested;
import io.millrace.protocol.journal.ResourceManagerEvent.TaskManagerRegistered;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerStarted;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkersRequested;
import io.millrace.protocol.rest.Timeline.Step;
import io.millrace.protocol.text.JournalText;
import io.millrace.protocol.text.Plural;
import io.millrace.rpc.journal.JournalEntry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One start of a job: from its JobMaster or a failure to the next failure or the end. */
final class StartRound {
  private static final String JOB_MANAGER = "jobmanager";

  /** The maximum number of separate steps for slot requests; later requests join the last one. */
  private static final int MAX_ACQUISITIONS = 3;

  private final int number;
  private final Optional<JournalEntry> began;

  /**
   * The first and the last event of each type. The events of a type are aggregated into one step.
   */
  private final Map<Class<?>, JournalEntry> first = new LinkedHashMap<>();

  private final Map<Class<?>, JournalEntry> last = new LinkedHashMap<>();

  /** The workers of the events of each type. */
  private final Map<Class<?>, Set<WorkerId>> workers = new LinkedHashMap<>();

  private final List<JournalEntry> workerEvents = new ArrayList<>();
  private final List<SlotAcquisition> acquisitions = new ArrayList<>();
  private Optional<JournalEntry> running = Optional.empty();
  private Set<WorkerId> hosts = new LinkedHashSet<>();

  /** The first start of the job. */
  StartRound() {
    this.number = 0;
    this.began = Optional.empty();
  }

  /**
   * @param began the event that caused this start
   */
  StartRound(int number, JournalEntry began) {
    this.number = number;
    this.began = Optional.of(began);
  }

  Optional<JournalEntry> began() {
    return began;
  }

  boolean hasJobMaster() {
    return first.containsKey(JobMasterStarted.class);
  }

  /** The workers whose slots the job has when its tasks are deployed. */
  void deployedTo(Set<WorkerId> workers) {
    hosts = new LinkedHashSet<>(workers);
  }

  boolean isComplete() {
    return first.containsKey(SlotsComplete.class);
  }

  void add(JournalEntry entry) {
    index(entry);
    boolean requests = entry.event() instanceof SlotsRequested;
    boolean offers =
        entry.event() instanceof WorkerRegistered || entry.event() instanceof SlotsAccepted;
    boolean begins =
        acquisitions.isEmpty()
            ? requests || offers
            : requests && newest().isAnswered() && acquisitions.size() < MAX_ACQUISITIONS;
    if (begins) {
      acquisitions.add(new SlotAcquisition(number, entry));
    } else if (!acquisitions.isEmpty()) {
      newest().add(entry);
    }
  }

  private SlotAcquisition newest() {
    return acquisitions.get(acquisitions.size() - 1);
  }

  /** An event of a worker. It belongs to this job only if the worker then gave slots to it. */
  void addWorker(JournalEntry event) {
    workerEvents.add(event);
  }

  /**
   * @param acceptedAt when the job was accepted; -1 if that is not known or not part of this round
   * @param end when this round ended; -1 if it has not
   */
  void addTo(List<Step> steps, long acceptedAt, long end) {
    addWorkers();
    began.ifPresent(
        entry -> {
          if (entry.event() instanceof RestartScheduled restart) {
            add(
                steps,
                "Restart " + restart.attempt(),
                JOB_MANAGER,
                entry.wallMillis(),
                running.map(JournalEntry::wallMillis).orElse(end),
                entry,
                0);
          }
        });
    JournalEntry started = first.get(JobMasterStarted.class);
    if (started != null) {
      long since = acceptedAt >= 0 ? acceptedAt : started.wallMillis();
      add(steps, "Start JobMaster", JOB_MANAGER, since, started.wallMillis(), started);
      add(
          steps,
          "Register at ResourceManager",
          JOB_MANAGER,
          started.wallMillis(),
          ended(RegisteredAtResourceManager.class, end),
          last.getOrDefault(RegisteredAtResourceManager.class, started));
    }
    addSlots(steps, end);
    addTasks(steps, end);
  }

  private void addSlots(List<Step> steps, long end) {
    JournalEntry wanted = first.get(SlotsWanted.class);
    JournalEntry declared = first.get(SlotsDeclared.class);
    JournalEntry complete = last.get(SlotsComplete.class);
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
          complete == null ? last.getOrDefault(ShortageReported.class, wanted) : complete,
          JournalEvent.of(wanted).count());
    }
    span(steps, "Request workers", WorkersRequested.class, WorkersRequested.class);
    span(steps, "Start workers", WorkerStarted.class, WorkersRequested.class, WorkerStarted.class);
    span(
        steps,
        "Register workers",
        TaskManagerRegistered.class,
        WorkerStarted.class,
        WorkersRequested.class,
        TaskManagerRegistered.class);
    span(
        steps,
        "Report slots",
        SlotsReported.class,
        TaskManagerRegistered.class,
        SlotsReported.class);
    acquisitions.forEach(acquisition -> acquisition.addTo(steps, end));
  }

  private void addTasks(List<Step> steps, long end) {
    JournalEntry deployed = first.get(TasksDeployed.class);
    if (deployed == null) {
      return;
    }
    long at = deployed.wallMillis();
    JournalEntry taken = last.getOrDefault(TasksTaken.class, deployed);
    add(steps, "Deploy tasks", JOB_MANAGER, at, taken.wallMillis(), deployed);
    JournalEntry one = first.get(FirstTaskRunning.class);
    if (one != null) {
      add(steps, "First task running", process(FirstTaskRunning.class), at, one.wallMillis(), one);
    }
    JournalEntry all = first.get(TasksRunning.class);
    String ran = Phrases.process(hosts);
    if (all == null && end < 0) {
      add(steps, "All tasks running", ran, at, end, deployed);
    } else if (all == null && one != null) {
      add(steps, "Some tasks running", ran, one.wallMillis(), end, deployed, 0);
    } else if (all != null) {
      add(steps, "All tasks running", ran, at, all.wallMillis(), all);
      add(steps, "Run", ran, all.wallMillis(), end, all);
    }
  }

  /** Indexes the events of workers while the job waited for slots. */
  private void addWorkers() {
    JournalEntry wanted = first.get(SlotsWanted.class);
    JournalEntry complete = last.get(SlotsComplete.class);
    if (wanted == null) {
      return;
    }
    Set<WorkerId> accepted = workers.getOrDefault(SlotsAccepted.class, new LinkedHashSet<>());
    for (JournalEntry event : workerEvents) {
      boolean inTime = complete == null || event.id() < complete.id();
      boolean ofJob = complete == null || event.worker().map(accepted::contains).orElse(true);
      if (event.id() > wanted.id() && inTime && ofJob) {
        index(event);
      }
    }
  }

  private void index(JournalEntry entry) {
    Class<?> kind = entry.event().getClass();
    first.putIfAbsent(kind, entry);
    last.put(kind, entry);
    if (entry.event() instanceof StatusChanged changed && changed.status() == JobStatus.RUNNING) {
      running = Optional.of(entry);
    }
    entry
        .worker()
        .ifPresent(worker -> workers.computeIfAbsent(kind, x -> new LinkedHashSet<>()).add(worker));
  }

  /**
   * Adds a step that ends with the last event of {@code kind}. It starts with the first event of
   * the first type in {@code from} that has events.
   */
  private void span(List<Step> steps, String name, Class<?> kind, Class<?>... from) {
    JournalEntry done = last.get(kind);
    if (done == null) {
      return;
    }
    long start = -1;
    for (Class<?> earlier : from) {
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
                ? Plural.of(count, "TaskManager") + "."
                : Phrases.sentence(JournalText.of(done))));
  }

  private String process(Class<?> kind) {
    return Phrases.process(workers.getOrDefault(kind, new LinkedHashSet<>()));
  }

  private long ended(Class<?> kind, long otherwise) {
    return last.containsKey(kind) ? last.get(kind).wallMillis() : otherwise;
  }

  private void add(
      List<Step> steps, String name, String process, long start, long end, JournalEntry entry) {
    add(steps, name, process, start, end, entry, JournalEvent.of(entry).count());
  }

  private void add(
      List<Step> steps,
      String name,
      String process,
      long start,
      long end,
      JournalEntry entry,
      int count) {
    steps.add(
        new Step(
            number,
            name,
            process,
            start,
            Phrases.after(start, end),
            count,
            Phrases.sentence(JournalText.of(entry))));
  }
}
