package io.millrace.control.resourcemanager;

import static io.millrace.control.Reasons.text;
import static io.millrace.control.Reasons.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.BlobGateway;
import io.millrace.protocol.ResourceManagerGateway.RegisterTaskManager;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerLeaves;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.WorkerInfo;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.rpc.Address;
import io.millrace.rpc.registration.RegistrationStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Registrations of workers, their slot reports and their ends. */
class WorkerRegistrationTest extends ResourceManagerTestBase {
  @Test
  @Behaviour("D3: success returns the instance id and the address of the blob server")
  void registersAWorkerAndReturnsItsInstanceAndTheBlobAddress() {
    start();
    TaskManagerReply reply = register(taskManager("w", 2), 1);
    assertThat(reply.verdict()).isEqualTo(RegistrationStatus.ACCEPTED);
    assertThat(reply.success().orElseThrow().resourceManager()).isEqualTo(leader().token());
    assertThat(reply.success().orElseThrow().blobs())
        .isEqualTo(new Address("jobmanager", BlobGateway.NAME));
  }

  @Test
  @Behaviour("D3: a TaskManager that cannot be reached back is declined and retries")
  void refusesAWorkerThatIsNotReachable() {
    start();
    FakeTaskManager caller = taskManager("w", 2);
    for (Address unreachable :
        List.of(new Address("nowhere", "taskmanager"), new Address("w", "unknown"))) {
      CompletableFuture<TaskManagerReply> reply =
          caller
              .at(leader())
              .registerTaskManager(
                  new RegisterTaskManager(
                      caller.id,
                      1,
                      unreachable,
                      "host:1",
                      new WorkerInfo.Hardware(1, 1, 1, 1),
                      FakeTaskManager.SLOT,
                      FakeTaskManager.SLOT));
      env.settle();
      assertThat(env.answer(reply).verdict()).isEqualTo(RegistrationStatus.REFUSED);
      assertThat(text(env.answer(reply).reason()))
          .contains("cannot reach worker w at " + unreachable);
    }
    assertThat(workers()).isEmpty();
    assertThat(register(caller, 2).verdict()).isEqualTo(RegistrationStatus.ACCEPTED);
  }

  @Test
  @Behaviour("D3: the newest of concurrent attempts wins")
  void newestOfTwoConcurrentAttemptsWins() {
    start();
    FakeTaskManager worker = taskManager("w", 2);
    CompletableFuture<TaskManagerReply> first = worker.register(leader(), 1);
    CompletableFuture<TaskManagerReply> second = worker.register(leader(), 2);
    env.settle();
    assertThat(env.answer(first).verdict()).isEqualTo(RegistrationStatus.REFUSED);
    assertThat(env.answer(second).verdict()).isEqualTo(RegistrationStatus.ACCEPTED);
    InstanceId instance = worker.instance.orElseThrow();

    assertThat(register(worker, 1).verdict()).isEqualTo(RegistrationStatus.REFUSED);
    assertThat(register(worker, 2).success().orElseThrow().instance()).isEqualTo(instance);
    assertThat(workers()).hasSize(1);
  }

  @Test
  @Behaviour("D3: a repeated registration gets the answer of the attempt it repeats")
  void repetitionOfARegistrationThatIsBeingCheckedGetsTheSameAnswer() {
    start();
    FakeTaskManager worker = taskManager("w", 2);
    CompletableFuture<TaskManagerReply> first = worker.register(leader(), 1);
    CompletableFuture<TaskManagerReply> repeat = worker.register(leader(), 1);
    env.settle();
    assertThat(env.answer(first).verdict()).isEqualTo(RegistrationStatus.ACCEPTED);
    assertThat(env.answer(repeat)).isEqualTo(env.answer(first));
    worker.report(leader());
    env.settle();
    assertThat(workers()).extracting(WorkerInfo::slots).containsExactly(2);
  }

  @Test
  @Behaviour("D3: a TaskManager unknown to the driver is rejected for good, and its process ends")
  void rejectsAWorkerThatTheDriverDoesNotKnow() {
    driver.previous.add(new DriverCapabilities.Previous(new WorkerId("own"), Optional.empty()));
    start(Configuration.EMPTY, driver);
    TaskManagerReply reply = register(taskManager("unknown", 2), 1);
    assertThat(reply.verdict()).isEqualTo(RegistrationStatus.REJECTED);
    assertThat(text(reply.reason())).contains("unknown is unknown here");
    assertThat(register(taskManager("own", 2), 1).verdict()).isEqualTo(RegistrationStatus.ACCEPTED);
  }

  @Test
  @Behaviour("D3: a new registration replaces the old instance and its slots")
  void newRegistrationReplacesTheInstanceAndItsSlots() {
    start();
    FakeTaskManager worker = registered("w", 2);
    InstanceId old = worker.instance.orElseThrow();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 2);
    env.settle();
    worker.occupants.clear();
    assertThat(register(worker, 2).success().orElseThrow().instance()).isNotEqualTo(old);
    assertThat(workers().get(0).slots()).isZero();
    worker.report(leader());
    env.settle();
    assertThat(worker.requests)
        .extracting(RequestSlot::instance)
        .containsExactly(old, old, worker.instance.get(), worker.instance.get());
    assertThat(worker.drops).isEmpty();
  }

  @Test
  @Behaviour("D3: a new registration replaces the old instance and its slots")
  void notifiesAnotherProcessWithTheSameIdThatItWasReplaced() {
    start();
    FakeTaskManager old = registered("w", 2);
    InstanceId instance = old.instance.orElseThrow();
    FakeTaskManager replacement = new FakeTaskManager(rpc("elsewhere"), "w", 2);
    assertThat(register(replacement, 1).verdict()).isEqualTo(RegistrationStatus.ACCEPTED);
    assertThat(old.drops).hasSize(1);
    assertThat(old.drops.get(0).instance()).isEqualTo(instance);
    assertThat(text(old.drops.get(0).reason())).contains("has registered anew");
  }

  @Test
  @Behaviour("D4: a slot reported as allocated is adopted for its job and not handed out")
  void reportCreatesSlotsAndAdoptsAllocatedOnes() {
    start();
    FakeTaskManager worker = taskManager("w", 2);
    worker.occupants.put(1, new Occupant(FakeTaskManager.allocation(1), JOB));
    register(worker, 1);
    worker.report(leader());
    env.settle();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 3);
    env.settle();
    assertThat(worker.requests).extracting(RequestSlot::slot).containsExactly(Optional.of(0));
    assertThat(last(jobMaster.pending).missing()).isEqualTo(1);
  }

  @Test
  @Behaviour(
      "D4: a report under an outdated registration is refused, and the TaskManager registers anew")
  void refusesAReportUnderAnOutdatedRegistration() {
    start();
    FakeTaskManager worker = registered("w", 2);
    InstanceId old = worker.instance.orElseThrow();
    register(worker, 2);
    CompletableFuture<?> refused = worker.report(leader(), old);
    env.settle();
    assertThatThrownBy(() -> env.answer(refused)).hasMessageContaining("has to register again");
    assertThat(workers().get(0).slots()).isZero();
  }

  @Test
  @Behaviour("E2: a TaskManager answers heartbeats with its report")
  void heartbeatReportsASlotWhoseFreeingNotificationWasLost() {
    start();
    FakeTaskManager worker = registered("w", 1);
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 1);
    env.settle();
    jobMaster.declare(leader(), 0);
    worker.occupants.clear();
    env.advance(Duration.ofSeconds(10));
    assertThat(workers().get(0).freeSlots()).isEqualTo(1);
  }

  @Test
  @Behaviour(
      "D5: a silent or unreachable TaskManager is disconnected with the cause, and its slots are"
          + " planned anew")
  void lostConnectionEndsTheRegistrationAndOtherSlotsAreRequested() {
    start();
    FakeTaskManager lost = registered("a", 1);
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 1);
    env.settle();
    FakeTaskManager spare = registered("b", 1);
    processes.get("a").close();
    env.settle();
    assertThat(workers()).extracting(WorkerInfo::worker).containsExactly(spare.id);
    assertThat(spare.requests).hasSize(1);
    assertThat(lost.requests).hasSize(1);
    assertThat(clusterJournal(ResourceManagerEvent.TaskManagerLost.class)).hasSize(1);
  }

  @Test
  @Behaviour(
      "D5: a silent or unreachable TaskManager is disconnected with the cause, and its slots are"
          + " planned anew")
  void disconnectsAWorkerAfterTheHeartbeatTimeoutWithTheReason() {
    start();
    FakeTaskManager worker = registered("w", 1);
    env.advance(Duration.ofMinutes(2));
    assertThat(workers()).hasSize(1);
    InstanceId instance = worker.instance.orElseThrow();
    worker.answersHeartbeats = false;
    env.advance(Duration.ofSeconds(61));
    assertThat(workers()).isEmpty();
    assertThat(worker.drops).hasSize(1);
    assertThat(worker.drops.get(0).instance()).isEqualTo(instance);
    assertThat(worker.drops.get(0).resourceManager()).isEqualTo(leader().token());
    assertThat(text(worker.drops.get(0).reason())).contains("heartbeats");
  }

  @Test
  @Behaviour(
      "E2: an answer to a heartbeat counts until heartbeat.timeout, independent of the time-out of"
          + " other calls")
  void slowHeartbeatAnswerWithinTheTimeoutCounts() {
    start();
    FakeTaskManager worker = registered("w", 1);
    worker.heartbeatDelay = Duration.ofSeconds(35);
    env.advance(Duration.ofMinutes(5));
    assertThat(workers()).hasSize(1);
    assertThat(worker.drops).isEmpty();
  }

  @Test
  @Behaviour(
      "D4: a TaskManager that has given up its registration has no slots until it registers anew")
  void removesTheSlotsOfAWorkerThatLostItsRegistration() {
    start();
    FakeTaskManager worker = registered("w", 2);
    worker.slotAnswer = FakeTaskManager.SlotAnswer.UNREGISTERED;
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 2);
    env.settle();

    assertThat(workers()).isEmpty();
    assertThat(clusterJournal(ResourceManagerEvent.TaskManagerLost.class)).hasSize(1);
    assertThat(text(last(jobMaster.pending).reason())).contains("no TaskManager is registered");
    assertThat(worker.drops).isEmpty();

    worker.slotAnswer = FakeTaskManager.SlotAnswer.GRANT;
    register(worker, 2);
    worker.report(leader());
    env.settle();
    assertThat(workers().get(0).freeSlots()).isZero();
  }

  @Test
  @Behaviour("D6: a TaskManager that disconnects is removed")
  void removesAWorkerThatDisconnects() {
    start();
    FakeTaskManager worker = registered("w", 1);
    worker
        .at(leader())
        .disconnectTaskManager(
            new TaskManagerLeaves(
                worker.id, new InstanceId(new Id128(0, 0)), words("another instance")));
    env.settle();
    assertThat(workers()).hasSize(1);
    worker
        .at(leader())
        .disconnectTaskManager(
            new TaskManagerLeaves(worker.id, worker.instance.orElseThrow(), words("done")));
    env.settle();
    assertThat(workers()).isEmpty();
    assertThat(worker.drops).isEmpty();
  }

  @Test
  @Behaviour(
      "D5: a silent or unreachable TaskManager is disconnected with the cause, and its slots are"
          + " planned anew")
  void notifiesARunningWorkerOfItsLostConnection() {
    start();
    InstanceId instance = registered("w", 1).instance.orElseThrow();
    processes.get("w").close();
    FakeTaskManager reachable = new FakeTaskManager(rpc("w"), "w", 1);
    env.settle();
    assertThat(reachable.drops).hasSize(1);
    assertThat(reachable.drops.get(0).instance()).isEqualTo(instance);
    assertThat(text(reachable.drops.get(0).reason()))
        .isEqualTo("Process w closed its connections.");
  }
}
