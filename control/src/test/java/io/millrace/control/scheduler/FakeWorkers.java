package io.millrace.control.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.slotpool.SlotPool;
import io.millrace.control.testing.Graphs;
import io.millrace.core.ResourceProfile;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** A scheduler with fake workers. Records its actions. */
final class FakeWorkers {
  final SlotPool pool = new SlotPool(Duration.ofSeconds(50));
  final Scheduler scheduler;
  final Map<WorkerId, Map<ExecutionId, TaskInSlot>> tasks = new LinkedHashMap<>();
  final Map<WorkerId, List<AllocationId>> slots = new LinkedHashMap<>();
  final Set<ExecutionId> everDeployed = new LinkedHashSet<>();
  final List<SchedulerAction.Deploy> deployments = new ArrayList<>();
  final List<SchedulerAction.Restart> restarts = new ArrayList<>();
  final List<ExecutionId> cancelled = new ArrayList<>();
  final List<SchedulerAction> log = new ArrayList<>();
  Optional<JobResult> result = Optional.empty();
  private long nextSlot;
  private long millis;

  FakeWorkers(JobGraph graph) {
    this(graph, 5);
  }

  /**
   * @param seed of the ids of executions and slots
   */
  FakeWorkers(JobGraph graph, int seed) {
    scheduler = new Scheduler(graph, graph.configuration(), pool, 100, new Random(seed), now());
    nextSlot = seed * 1000L;
  }

  /** One worker runs all tasks of a job. */
  static FakeWorkers running(Graphs graph, int slots) {
    FakeWorkers world = new FakeWorkers(graph.build()).start();
    world.worker("one", slots);
    world.all(TaskState.RUNNING);
    return world;
  }

  ClockReading now() {
    return new ClockReading(1_000_000 + ++millis, millis * 1_000_000);
  }

  FakeWorkers start() {
    perform(scheduler.start(now()));
    return this;
  }

  WorkerId worker(String name, int count) {
    WorkerId worker = new WorkerId(name);
    scheduler.workerRegistered(worker, name + ":1");
    tasks.put(worker, new LinkedHashMap<>());
    slots.put(worker, new ArrayList<>());
    offer(worker, count);
    return worker;
  }

  void offer(WorkerId worker, int count) {
    offer(worker, ResourceProfile.UNSPECIFIED, count);
  }

  void offer(WorkerId worker, ResourceProfile profile, int count) {
    List<SlotOffer> offers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      AllocationId allocation = new AllocationId(new Id128(3, nextSlot++));
      offers.add(new SlotOffer(allocation, profile));
      slots.get(worker).add(allocation);
    }
    List<AllocationId> accepted = new ArrayList<>();
    List<SchedulerAction> actions = scheduler.offer(worker, offers, accepted, now());
    assertThat(accepted).hasSize(count);
    perform(actions);
  }

  void lose(WorkerId worker) {
    tasks.remove(worker);
    slots.remove(worker);
    perform(scheduler.workerLost(worker, Failure.of(ErrorKind.EXTERNAL, worker + " died"), now()));
  }

  void update(WorkerId worker, ExecutionId execution, TaskState state) {
    if (state == TaskState.FAILED) {
      fail(worker, execution, Failure.of(ErrorKind.USER, "broken"));
    } else {
      update(worker, TaskUpdate.of(execution, state));
    }
  }

  void fail(WorkerId worker, ExecutionId execution, Failure failure) {
    update(worker, TaskUpdate.failed(execution, failure));
  }

  private void update(WorkerId worker, TaskUpdate update) {
    if (update.state().isTerminal()) {
      tasks.get(worker).remove(update.execution());
    }
    perform(scheduler.tasksUpdated(worker, List.of(update), now()));
  }

  /** Updates all tasks on all workers to the state. */
  void all(TaskState state) {
    for (WorkerId worker : new ArrayList<>(tasks.keySet())) {
      for (ExecutionId execution : new ArrayList<>(tasks.get(worker).keySet())) {
        update(worker, execution, state);
      }
    }
  }

  /** The workers end the tasks that were cancelled. */
  void obeyCancellations() {
    new ArrayList<>(tasks.keySet()).forEach(this::obeyCancellationsOn);
  }

  void obeyCancellationsOn(WorkerId worker) {
    for (ExecutionId execution : new ArrayList<>(tasks.get(worker).keySet())) {
      if (cancelled.contains(execution)) {
        update(worker, execution, TaskState.CANCELED);
      }
    }
  }

  /** A worker answers a heartbeat with these tasks and all its slots. */
  void reconcile(WorkerId worker, long heartbeat, List<ExecutionId> reported) {
    perform(
        scheduler.reconcile(
            worker, heartbeat, new TaskReport(slots.get(worker), reported, List.of()), now()));
  }

  void restartDue() {
    List<SchedulerAction.Restart> due = new ArrayList<>(restarts);
    restarts.clear();
    due.forEach(restart -> perform(scheduler.restartDue(restart.failover(), now())));
  }

  void perform(List<SchedulerAction> actions) {
    for (SchedulerAction action : actions) {
      log.add(action);
      assertThat(result).as("nothing after the end, but %s", action).isEmpty();
      if (action instanceof SchedulerAction.Deploy deploy) {
        deployments.add(deploy);
        for (SchedulerAction.Share share : deploy.shares()) {
          for (TaskInSlot task : share.tasks()) {
            assertThat(everDeployed.add(task.task().execution())).as("deployed once").isTrue();
            assertThat(slots.get(share.worker())).contains(task.slot());
            tasks.get(share.worker()).put(task.task().execution(), task);
          }
        }
      } else if (action instanceof SchedulerAction.Adopt adopt) {
        for (SchedulerAction.Share share : adopt.shares()) {
          share
              .tasks()
              .forEach(task -> tasks.get(share.worker()).put(task.task().execution(), task));
        }
      } else if (action instanceof SchedulerAction.Cancel cancel) {
        cancelled.addAll(cancel.executions());
      } else if (action instanceof SchedulerAction.Restart restart) {
        restarts.add(restart);
      } else if (action instanceof SchedulerAction.Ended ended) {
        result = Optional.of(ended.result());
      }
    }
  }

  JobStatus status() {
    return scheduler.status();
  }

  ExecutionId anyTask(WorkerId worker) {
    return tasks.get(worker).keySet().iterator().next();
  }

  List<SubtaskDetails> subtasks() {
    List<SubtaskDetails> all = new ArrayList<>();
    scheduler.details().vertices().forEach(v -> all.addAll(v.subtasks()));
    return all;
  }

  int running() {
    return tasks.values().stream().mapToInt(Map::size).sum();
  }
}
