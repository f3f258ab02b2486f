package io.millrace.rest.explain;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.RecordedFailure;
import io.millrace.protocol.JobDetails.StatusHistory;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.protocol.JobSlots;
import io.millrace.protocol.journal.DispatcherEvent.JobSubmitted;
import io.millrace.protocol.journal.JobMasterEvent.FirstTaskRunning;
import io.millrace.protocol.journal.JobMasterEvent.JobMasterStarted;
import io.millrace.protocol.journal.JobMasterEvent.RegisteredAtResourceManager;
import io.millrace.protocol.journal.JobMasterEvent.SlotsAccepted;
import io.millrace.protocol.journal.JobMasterEvent.SlotsComplete;
import io.millrace.protocol.journal.JobMasterEvent.SlotsDeclared;
import io.millrace.protocol.journal.JobMasterEvent.SlotsWanted;
import io.millrace.protocol.journal.JobMasterEvent.TasksDeployed;
import io.millrace.protocol.journal.JobMasterEvent.TasksRunning;
import io.millrace.protocol.journal.JobMasterEvent.TasksTaken;
import io.millrace.protocol.journal.JobMasterEvent.WorkerRegistered;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.JobMasterRegistered;
import io.millrace.protocol.journal.ResourceManagerEvent.RequirementsReceived;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotRequestsAnswered;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsGranted;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsRequested;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.rpc.Address;
import io.millrace.rpc.journal.Journal;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskSplits;
import io.millrace.task.TaskState;
import io.millrace.task.TaskThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Builds a snapshot of a job with state and history. Time advances when the test says so. */
final class JobSnapshotBuilder {
  static final JobId JOB = new JobId(new Id128(0, 1));
  static final long BEGAN = 1_000_000;
  static final Address ADDRESS = new Address("jm", "jobmaster");

  private final Journal journal = new Journal(0, () -> this.now);
  private final List<SubtaskDetails> tasks = new ArrayList<>();
  private final List<RecordedFailure> failures = new ArrayList<>();
  private long now = BEGAN;
  private JobStatus status = JobStatus.RUNNING;
  private JobSlots slots = JobSlots.NONE;
  private Optional<String> waitingFor = Optional.empty();
  private int restarts;

  JobSnapshotBuilder at(long millis) {
    now = BEGAN + millis;
    return this;
  }

  JobSnapshotBuilder event(JournalEvent event) {
    return append(event.entry().forJob(JOB));
  }

  JobSnapshotBuilder event(JournalEvent event, String worker) {
    return append(event.entry().forJob(JOB).onWorker(new WorkerId(worker)));
  }

  /** An event of a worker that no job is named in. */
  JobSnapshotBuilder worker(ResourceManagerEvent event, String worker) {
    return append(worker.isEmpty() ? event.entry() : event.entry().onWorker(new WorkerId(worker)));
  }

  JobSnapshotBuilder append(JournalEntry event) {
    journal.append(event);
    return this;
  }

  JobSnapshotBuilder is(JobStatus status) {
    this.status = status;
    return this;
  }

  JobSnapshotBuilder waits(int required, int missing, String reason) {
    slots = new JobSlots(List.of(new JobSlots.Need("any", required, missing)), slots.held());
    waitingFor = missing == 0 ? Optional.empty() : Optional.of(reason);
    return this;
  }

  JobSnapshotBuilder holds(String worker, int count) {
    List<JobSlots.Held> held = new ArrayList<>(slots.held());
    held.add(new JobSlots.Held(new WorkerId(worker), count));
    slots = new JobSlots(slots.needs(), held);
    return this;
  }

  JobSnapshotBuilder task(String worker, TaskState state) {
    tasks.add(
        new SubtaskDetails(
            new ExecutionId(new Id128(1, tasks.size())),
            0,
            state,
            worker.isEmpty() ? Optional.empty() : Optional.of(new WorkerId(worker)),
            new long[TaskState.values().length],
            Optional.empty(),
            Optional.empty()));
    return this;
  }

  /** A task whose worker has reported its thread. */
  JobSnapshotBuilder task(String worker, TaskThread thread) {
    ExecutionId execution = new ExecutionId(new Id128(1, tasks.size()));
    tasks.add(
        new SubtaskDetails(
            execution,
            0,
            TaskState.RUNNING,
            Optional.of(new WorkerId(worker)),
            new long[TaskState.values().length],
            Optional.of(new TaskCounters(execution, 0, 0, 0, 0, 0, 0, 0).on(thread)),
            Optional.empty()));
    return this;
  }

  /** A task that has reported its splits. */
  JobSnapshotBuilder task(String worker, TaskSplits splits) {
    ExecutionId execution = new ExecutionId(new Id128(1, tasks.size()));
    tasks.add(
        new SubtaskDetails(
            execution,
            0,
            TaskState.RUNNING,
            Optional.of(new WorkerId(worker)),
            new long[TaskState.values().length],
            Optional.of(new TaskCounters(execution, 0, 0, 0, 0, 0, 0, 0).with(splits)),
            Optional.empty()));
    return this;
  }

  JobSnapshotBuilder fails(String task, String worker, String message) {
    failures.add(
        0,
        new RecordedFailure(
            new Failure(ErrorKind.USER, "java.lang.IllegalStateException", message, "at x"),
            now,
            task,
            Optional.of(new WorkerId(worker))));
    return this;
  }

  JobSnapshotBuilder restarted(int times) {
    restarts = times;
    return this;
  }

  /** The usual events until slots are requested, at 0 to 40 ms. */
  JobSnapshotBuilder started(int required) {
    return at(10)
        .append(new JobSubmitted("counts").entry().forJob(JOB).taking(10))
        .at(20)
        .event(new JobMasterStarted(1))
        .event(new SlotsWanted(required, required))
        .at(30)
        .event(new JobMasterRegistered(ADDRESS))
        .event(new RegisteredAtResourceManager(ADDRESS))
        .at(40)
        .event(new SlotsDeclared(required, required, Duration.ofMinutes(5)))
        .event(new RequirementsReceived(required));
  }

  /** A worker grants and offers the requested slots, 20 ms after now. */
  JobSnapshotBuilder slotsOf(String worker, int count) {
    long at = now - BEGAN;
    return event(new SlotsRequested(count, 1, Optional.of(new WorkerId(worker)), false))
        .at(at + 10)
        .append(
            new SlotsGranted(count).entry().forJob(JOB).onWorker(new WorkerId(worker)).taking(10))
        .event(new SlotRequestsAnswered(count, 1, 0))
        .at(at + 15)
        .event(new WorkerRegistered(1), worker)
        .at(at + 20)
        .event(new SlotsAccepted(count, count, 0), worker);
  }

  JobSnapshotBuilder complete(int required) {
    return event(new SlotsComplete(required, 1));
  }

  /** Tasks are deployed now and run after 30 ms. */
  JobSnapshotBuilder deployed(int count) {
    long at = now - BEGAN;
    return event(new TasksDeployed(count, 1))
        .at(at + 5)
        .event(new TasksTaken(count))
        .at(at + 20)
        .event(new FirstTaskRunning(), "w1")
        .at(at + 30)
        .event(new TasksRunning(count));
  }

  JobSnapshot snapshot() {
    VertexId vertex = new VertexId(new Id128(2, 2));
    JobGraph graph =
        new JobGraph(
            JOB,
            "counts",
            JobType.STREAMING,
            List.of(
                new JobVertex(
                    vertex,
                    "Source",
                    1,
                    128,
                    "default",
                    List.of(
                        new ChainedOperator(
                            new OperatorId(new Id128(3, 3)), "source", -1, Bytes.EMPTY)))),
            List.of(),
            List.of(),
            Configuration.EMPTY);
    Map<JobStatus, Long> timestamps = new LinkedHashMap<>();
    timestamps.put(status, now);
    JobDetails details =
        new JobDetails(
            graph,
            new StatusHistory(status, BEGAN, status.isTerminal() ? now : -1, timestamps),
            slots,
            waitingFor.map(ErrorReason::new),
            restarts,
            List.of(new VertexDetails(vertex, tasks)),
            failures);
    return new JobSnapshot(details, journal.history(JOB), Optional.of(List.of()), now);
  }
}
