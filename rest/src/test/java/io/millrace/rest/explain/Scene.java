package io.millrace.rest.explain;

import io.millrace.api.JobStatus;
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
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.protocol.JobSlots;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.rpc.journal.Event;
import io.millrace.rpc.journal.Journal;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskState;
import io.millrace.task.TaskThread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A job whose state and history a test makes up; time goes on when the test says so. */
final class Scene {
  static final JobId JOB = new JobId(new Id128(0, 1));
  static final long BEGAN = 1_000_000;

  private final Journal journal = new Journal(0, () -> this.now);
  private final List<SubtaskDetails> tasks = new ArrayList<>();
  private final List<RecordedFailure> failures = new ArrayList<>();
  private long now = BEGAN;
  private JobStatus status = JobStatus.RUNNING;
  private JobSlots slots = JobSlots.NONE;
  private Optional<String> waitingFor = Optional.empty();
  private int restarts;

  Scene at(long millis) {
    now = BEGAN + millis;
    return this;
  }

  Scene event(String component, String what, String detail) {
    return append(Event.of(component, what, detail).forJob(JOB));
  }

  Scene event(String component, String what, String detail, int count) {
    return append(Event.of(component, what, detail).forJob(JOB).counting(count));
  }

  Scene event(String component, String what, String detail, String worker, int count) {
    return append(
        Event.of(component, what, detail)
            .forJob(JOB)
            .onWorker(new WorkerId(worker))
            .counting(count));
  }

  /** Something that became of a worker, whoever needs it. */
  Scene worker(String what, String detail, String worker) {
    return append(
        worker.isEmpty()
            ? Event.of("resourcemanager", what, detail)
            : Event.of("resourcemanager", what, detail).onWorker(new WorkerId(worker)));
  }

  Scene append(Event event) {
    journal.append(event);
    return this;
  }

  Scene is(JobStatus status) {
    this.status = status;
    return this;
  }

  Scene waits(int required, int missing, String reason) {
    slots = new JobSlots(List.of(new JobSlots.Need("any", required, missing)), slots.held());
    waitingFor = missing == 0 ? Optional.empty() : Optional.of(reason);
    return this;
  }

  Scene holds(String worker, int count) {
    List<JobSlots.Held> held = new ArrayList<>(slots.held());
    held.add(new JobSlots.Held(new WorkerId(worker), count));
    slots = new JobSlots(slots.needs(), held);
    return this;
  }

  Scene task(String worker, TaskState state) {
    tasks.add(
        new SubtaskDetails(
            new ExecutionId(new Id128(1, tasks.size())),
            0,
            state,
            worker.isEmpty() ? Optional.empty() : Optional.of(new WorkerId(worker)),
            new long[TaskState.values().length],
            Optional.empty()));
    return this;
  }

  /** A task whose worker has said how it runs. */
  Scene task(String worker, TaskThread thread) {
    ExecutionId execution = new ExecutionId(new Id128(1, tasks.size()));
    tasks.add(
        new SubtaskDetails(
            execution,
            0,
            TaskState.RUNNING,
            Optional.of(new WorkerId(worker)),
            new long[TaskState.values().length],
            Optional.of(new TaskCounters(execution, 0, 0, 0, 0, 0, 0, 0).on(thread))));
    return this;
  }

  Scene fails(String task, String worker, String message) {
    failures.add(
        0,
        new RecordedFailure(
            new Failure(ErrorKind.USER, "java.lang.IllegalStateException", message, "at x"),
            now,
            task,
            Optional.of(new WorkerId(worker))));
    return this;
  }

  Scene restarted(int times) {
    restarts = times;
    return this;
  }

  /** The usual events until slots are asked for, at 0 to 40 ms. */
  Scene started(int required) {
    return at(10)
        .append(Event.of("dispatcher", "job submitted", "stored").forJob(JOB).taking(10))
        .at(20)
        .event("jobmaster", "jobmaster started", "JobMaster leads in term 1")
        .event("jobmaster", "slots wanted", required + " slots are missing", required)
        .at(30)
        .event("resourcemanager", "jobmaster registered", "At x.")
        .event("jobmaster", "jobmaster registered", "Registered")
        .at(40)
        .event("jobmaster", "slots declared", required + " slots required", required)
        .event("resourcemanager", "slots declared", "The job needs " + required + " slots.");
  }

  /** A worker grants and offers all the slots that are asked of it, 20 ms after now. */
  Scene slotsOf(String worker, int count) {
    long at = now - BEGAN;
    return event(
            "resourcemanager",
            "slots requested",
            count
                + " slots requested of "
                + worker
                + ", filling one worker after the other (some.option: false).",
            count)
        .at(at + 10)
        .append(
            Event.of("resourcemanager", "slots granted", count + " slots granted by " + worker)
                .forJob(JOB)
                .onWorker(new WorkerId(worker))
                .counting(count)
                .taking(10))
        .event("resourcemanager", "slots answered", count + " slots granted by 1 worker.", count)
        .at(at + 15)
        .event("jobmaster", "worker registered", "Worker has slots", worker, 1)
        .at(at + 20)
        .event("jobmaster", "slots accepted", "accepted", worker, count);
  }

  Scene complete(int required) {
    return event("jobmaster", "slots complete", required + " slots are the job's", required);
  }

  /** Tasks are deployed now and run 30 ms later. */
  Scene deployed(int count) {
    long at = now - BEGAN;
    return event("jobmaster", "tasks deployed", count + " tasks", count)
        .at(at + 5)
        .event("jobmaster", "tasks taken", count + " tasks", count)
        .at(at + 20)
        .event("jobmaster", "first task running", "A task runs", "w1", 0)
        .at(at + 30)
        .event("jobmaster", "tasks running", "All run", count);
  }

  JobSnapshot story() {
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
            status,
            BEGAN,
            status.isTerminal() ? now : -1,
            timestamps,
            slots,
            waitingFor.map(ErrorReason::new),
            restarts,
            List.of(new VertexDetails(vertex, tasks)),
            failures);
    return new JobSnapshot(details, journal.history(JOB), Optional.of(List.of()), now);
  }
}
