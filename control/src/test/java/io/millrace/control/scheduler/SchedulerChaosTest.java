package io.millrace.control.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.testing.Graphs;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobGraph;
import io.millrace.graph.Partitioning;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Random events in random order, with invariants checked after each. */
class SchedulerChaosTest {
  private static final int SEEDS = 400;
  private static final int EVENTS = 120;

  @TestFactory
  List<DynamicTest> invariantsHoldAndTheJobEnds() {
    return IntStream.range(0, SEEDS)
        .mapToObj(seed -> DynamicTest.dynamicTest("seed " + seed, () -> runRandomEvents(seed)))
        .toList();
  }

  private static void runRandomEvents(int seed) {
    Random random = new Random(seed);
    FakeWorkers world = new FakeWorkers(graph(random)).start();
    int workers = 0;
    for (int i = 0; i < EVENTS && world.result.isEmpty(); i++) {
      List<WorkerId> known = new ArrayList<>(world.tasks.keySet());
      if (known.isEmpty() || random.nextInt(12) == 0) {
        world.worker("w" + workers++, random.nextInt(4));
      } else {
        event(world, known.get(random.nextInt(known.size())), random);
      }
      check(world);
    }
    runToTheEnd(world, workers, random.nextBoolean());
  }

  private static Graphs randomVertices(Random random) {
    Graphs graph = new Graphs(1);
    int vertices = 1 + random.nextInt(4);
    int parallelism = 1 + random.nextInt(4);
    boolean even = random.nextBoolean();
    for (int v = 0; v < vertices; v++) {
      String group = random.nextInt(4) == 0 ? "other" : "default";
      graph.vertex("v" + v, even ? parallelism : 1 + random.nextInt(4), group);
      if (v > 0 && random.nextInt(5) > 0) {
        Partitioning partitioning =
            even && random.nextBoolean()
                ? Partitioning.FORWARD
                : random.nextBoolean() ? Partitioning.RESCALE : Partitioning.HASH;
        graph.edge(random.nextInt(v), v, even ? partitioning : Partitioning.REBALANCE);
      }
    }
    return graph;
  }

  private static JobGraph graph(Random random) {
    Graphs graph = randomVertices(random);
    return random.nextInt(4) == 0
        ? graph.build()
        : graph.restarts(random.nextInt(6), Duration.ofMillis(1)).build();
  }

  private static void event(FakeWorkers world, WorkerId worker, Random random) {
    List<ExecutionId> tasks = new ArrayList<>(world.tasks.get(worker).keySet());
    Optional<ExecutionId> task =
        tasks.isEmpty() ? Optional.empty() : Optional.of(tasks.get(random.nextInt(tasks.size())));
    switch (random.nextInt(16)) {
      case 0, 1, 2, 3, 4 ->
          task.ifPresent(
              one ->
                  world.update(
                      worker,
                      one,
                      random.nextBoolean() ? TaskState.RUNNING : TaskState.INITIALIZING));
      case 5 -> task.ifPresent(one -> world.update(worker, one, TaskState.FINISHED));
      case 6 -> task.ifPresent(one -> world.update(worker, one, TaskState.FAILED));
      case 7, 8 -> world.obeyCancellationsOn(worker);
      case 9, 10 -> world.restartDue();
      case 11 -> world.lose(worker);
      case 12 -> world.offer(worker, random.nextInt(3));
      case 13 -> loseSlot(world, worker, random);
      case 14 -> reconcile(world, worker, tasks, random);
      default -> failDeployment(world, random);
    }
  }

  private static void loseSlot(FakeWorkers world, WorkerId worker, Random random) {
    if (!world.slots.get(worker).isEmpty()) {
      int index = random.nextInt(world.slots.get(worker).size());
      world.perform(
          world.scheduler.slotLost(
              worker,
              world.slots.get(worker).remove(index),
              Failure.of(ErrorKind.EXTERNAL, "slot gone"),
              world.now()));
    }
  }

  private static void reconcile(
      FakeWorkers world, WorkerId worker, List<ExecutionId> tasks, Random random) {
    long heartbeat = world.scheduler.nextHeartbeat();
    if (!tasks.isEmpty() && random.nextInt(4) == 0) {
      // The task vanished without a report.
      ExecutionId vanished = tasks.remove(random.nextInt(tasks.size()));
      world.tasks.get(worker).remove(vanished);
      heartbeat = world.scheduler.nextHeartbeat();
    }
    if (!world.slots.get(worker).isEmpty() && random.nextInt(4) == 0) {
      // The slot was freed without a notice; its tasks are still ending.
      world.slots.get(worker).remove(random.nextInt(world.slots.get(worker).size()));
      heartbeat = world.scheduler.nextHeartbeat();
    }
    world.reconcile(worker, heartbeat, tasks);
  }

  private static void failDeployment(FakeWorkers world, Random random) {
    if (!world.deployments.isEmpty()) {
      SchedulerAction.Deploy deploy = world.deployments.get(world.deployments.size() - 1);
      SchedulerAction.Share share = deploy.shares().get(random.nextInt(deploy.shares().size()));
      if (world.tasks.containsKey(share.worker())) {
        if (random.nextBoolean()) {
          world.scheduler.deployed(share);
          return;
        }
        share.tasks().forEach(t -> world.tasks.get(share.worker()).remove(t.task().execution()));
        world.perform(
            world.scheduler.deploymentFailed(
                share,
                Failure.of(ErrorKind.EXTERNAL, "not accepted"),
                OptionalLong.empty(),
                world.now()));
      }
    }
  }

  /** With enough slots, without failures and with all cancellations obeyed the job has to end. */
  private static void runToTheEnd(FakeWorkers world, int workers, boolean cancel) {
    if (cancel && world.result.isEmpty()) {
      world.perform(world.scheduler.cancel(world.now()));
    }
    if (world.result.isEmpty()) {
      world.worker("w" + workers, 16);
    }
    for (int i = 0; i < 20 && world.result.isEmpty(); i++) {
      world.obeyCancellations();
      world.restartDue();
      for (WorkerId worker : new ArrayList<>(world.tasks.keySet())) {
        List<ExecutionId> tasks = new ArrayList<>(world.tasks.get(worker).keySet());
        world.deployments.forEach(
            deploy ->
                deploy.shares().stream()
                    .filter(share -> share.worker().equals(worker))
                    .forEach(world.scheduler::deployed));
        if (world.result.isEmpty()) {
          world.reconcile(worker, world.scheduler.nextHeartbeat(), tasks);
        }
      }
      check(world);
      for (WorkerId worker : new ArrayList<>(world.tasks.keySet())) {
        for (ExecutionId task : new ArrayList<>(world.tasks.get(worker).keySet())) {
          if (world.result.isEmpty() && !world.cancelled.contains(task)) {
            world.update(worker, task, TaskState.FINISHED);
          }
        }
      }
    }
    assertThat(world.result).as("the job has ended").isPresent();
    assertThat(world.running()).as("nothing is left running").isZero();
    if (world.status() == JobStatus.FINISHED) {
      assertThat(world.pool.required()).isZero();
      assertThat(world.pool.idle()).isEqualTo(world.pool.held());
    }
  }

  private static void check(FakeWorkers world) {
    assertThat(world.pool.waiting()).isBetween(0, world.pool.required());
    assertThat(world.pool.held())
        .as("each slot is used or idle")
        .isEqualTo(world.pool.required() - world.pool.waiting() + world.pool.idle());
    int slots = world.slots.values().stream().mapToInt(List::size).sum();
    assertThat(world.pool.held()).as("no slot is forgotten").isEqualTo(slots);
    Map<TaskState, Integer> counts = world.scheduler.overview().tasks();
    List<SubtaskDetails> subtasks = world.subtasks();
    assertThat(counts.values().stream().mapToInt(Integer::intValue).sum())
        .isEqualTo(subtasks.size());
    for (SubtaskDetails subtask : subtasks) {
      if (subtask.state() == TaskState.DEPLOYING) {
        assertThat(world.everDeployed).contains(subtask.execution());
      }
      if (world.result.isPresent()) {
        assertThat(subtask.state().isTerminal()).isTrue();
      }
    }
    if (world.pool.waiting() > 0 && world.result.isEmpty()) {
      assertThat(world.pool.idle()).as("no request waits while a slot is idle").isZero();
    }
  }
}
