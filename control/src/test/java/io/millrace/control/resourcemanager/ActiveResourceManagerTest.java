package io.millrace.control.resourcemanager;

import static io.millrace.control.Reasons.text;
import static io.millrace.control.Reasons.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.driver.CustomWorkerSizes;
import io.millrace.control.driver.DriverCapabilities.Previous;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.memory.DefaultProcessSizes;
import io.millrace.core.security.DelegationTokens;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.ResourceManagerGateway.JobMasterLeaves;
import io.millrace.protocol.ResourceManagerGateway.LimitWorkers;
import io.millrace.protocol.ResourceManagerGateway.SlotAvailable;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.TaskManagerGateway.ResourceManagerDrops;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerAssumedGone;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.text.JournalText;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.registration.RegistrationStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A ResourceManager whose driver starts workers. */
class ActiveResourceManagerTest extends ResourceManagerTestBase {
  private static final ResourceProfile LARGE = new ResourceProfile(1, 512 << 20, 0, 0, 0);
  private static final CustomWorkerSizes CUSTOM_SIZES =
      new CustomWorkerSizes(
          DefaultProcessSizes.in(Configuration.EMPTY), 8, 4L << 30, "this machine");
  private static final WorkerSpec FOR_LARGE = CUSTOM_SIZES.forSlot(LARGE).orElseThrow();

  @Test
  @Behaviour("D4: a free slot consumes the pending slot of the same profile")
  void requestsMissingWorkersAndAllocatesTheirSlots() {
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 3);
    env.settle();
    assertThat(driver.requests).hasSize(2);
    FakeTaskManager first = startWorker("w1");
    FakeTaskManager second = startWorker("w2");
    assertThat(first.requests.size() + second.requests.size()).isEqualTo(3);
    assertThat(driver.requests).isEmpty();
    assertThat(JournalText.of(clusterJournal(ResourceManagerEvent.WorkersRequested.class).get(0)))
        .contains("2 workers");
  }

  @Test
  @Behaviour(
      "D8: a declared profile that does not fit a default worker gets a worker of the exact size")
  void requestsACustomWorkerForALargeProfile() {
    driver.larger = Optional.of(CUSTOM_SIZES);
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), LARGE, 1);
    env.advance(Duration.ofSeconds(2));
    assertThat(driver.specs).containsExactly(FOR_LARGE);
    assertThat(text(last(jobMaster.pending).reason()))
        .contains("Asked the driver 'fake' for 1 worker with 1.0 cpu, 512 mb heap");
    assertThat(JournalText.of(clusterJournal(ResourceManagerEvent.WorkersRequested.class).get(0)))
        .startsWith("Asked the driver 'fake' for 1 worker with 1.0 cpu, 512 mb heap");
    driver.events.started(driver.requests.remove(0), new WorkerId("w1"));
    env.advance(Duration.ofSeconds(2));
    assertThat(text(last(jobMaster.pending).reason())).contains("; it is starting.");
    // It registers with another spec than requested, so the job still waits.
    assertThat(registered("w1", 2).requests).isEmpty();
    assertThat(driver.specs).containsExactly(FOR_LARGE, FOR_LARGE);
    // Only the request for the custom worker is cancelled.
    jobMaster.declare(leader(), 4);
    env.settle();
    assertThat(driver.cancelled).containsExactly(2L);
    assertThat(driver.specs).containsExactly(FOR_LARGE, FOR_LARGE, FakeDriver.SPEC);
  }

  @Test
  @Behaviour(
      "D8: a worker larger than the driver can start is refused with the numbers instead of being"
          + " requested")
  void profileAboveTheMaximumSizeFailsWithTheNumbers() {
    driver.larger = Optional.of(CUSTOM_SIZES);
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), new ResourceProfile(64, 1 << 20, 0, 0, 0), 1);
    env.settle();
    assertThat(driver.specs).isEmpty();
    assertThat(text(last(jobMaster.failed).reason()))
        .contains("would take 64.0 cpu", "this machine has 8.0 cpu and 4.00 gb.");
  }

  @Test
  @Behaviour("D8: a worker of a previous attempt counts with the spec it was started with")
  void previousWorkerCountsUnderTheSpecItWasStartedWith() {
    driver.larger = Optional.of(CUSTOM_SIZES);
    driver.previous.add(new Previous(new WorkerId("large"), Optional.of(FOR_LARGE)));
    driver.previous.add(new Previous(new WorkerId("unknown"), Optional.empty()));
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), LARGE, 2);
    env.advance(Duration.ofSeconds(2));
    assertThat(driver.specs).containsExactly(FOR_LARGE);
    assertThat(text(last(jobMaster.pending).reason()))
        .contains("Waits for 2 workers that were there before to register again.");
  }

  @Test
  @Behaviour("D8: a worker that is being released counts against the limits until it has ended")
  void releasedWorkerCountsAgainstTheLimitUntilItHasEnded() {
    driver.most = 1;
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 2);
    env.settle();
    startWorker("w1").answersHeartbeats = false;
    env.advance(Duration.ofSeconds(61));
    assertThat(driver.released).containsExactly(new WorkerId("w1"));
    assertThat(driver.requests).isEmpty();
    assertThat(text(last(jobMaster.pending).reason()))
        .contains("1 worker is ending and still counts until the driver");
    driver.events.ended(new WorkerId("w1"), words("it was released"));
    env.settle();
    assertThat(driver.requests).hasSize(1);
  }

  @Test
  @Behaviour(
      "D8: a released worker whose end is never reported counts as gone after"
          + " resourcemanager.taskmanager-release.timeout, with a warning")
  void releasedWorkerCountsAsEndedAfterTheReleaseTimeout() {
    driver.most = 1;
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 2);
    env.settle();
    startWorker("w1").answersHeartbeats = false;
    env.advance(Duration.ofSeconds(61));
    assertThat(driver.requests).isEmpty();

    env.advance(Duration.ofMinutes(2));

    assertThat(driver.requests).hasSize(1);
    assertThat(clusterJournal(ResourceManagerEvent.WorkerAssumedGone.class)).hasSize(1);
  }

  @Test
  void reasonNamesRequestedWorkersAndFailedStarts() {
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 1);
    env.advance(Duration.ofSeconds(2));
    assertThat(text(last(jobMaster.pending).reason()))
        .contains("Asked the driver 'fake' for 1 worker.");
    driver.events.failed(driver.requests.remove(0), words("No such command: java."));
    env.advance(Duration.ofSeconds(2));
    assertThat(text(last(jobMaster.pending).reason()))
        .contains("No such command: java.", "every 3 s");
    env.advance(Duration.ofSeconds(2));
    assertThat(driver.requests).hasSize(1);
  }

  @Test
  @Behaviour("D11: a job that fails for want of slots names what the driver waits for")
  void failureAfterTheTimeoutNamesWhatTheDriverWaitsFor() {
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 2);
    env.settle();
    startWorker("w1");
    jobMaster.failed.clear();
    driver.events.ended(
        new WorkerId("w1"), new DriverReason("fake.ended", "its process was killed"));
    env.settle();
    assertThat(driver.requests).hasSize(1);
    // As the driver of YARN reports it again and again.
    for (int silence = 10; jobMaster.failed.isEmpty() && silence < 1_000; silence += 10) {
      env.advance(Duration.ofSeconds(10));
      driver.events.waits(
          Optional.of(
              new DriverReason(
                  "fake.silent",
                  "YARN's ResourceManager has not answered for " + silence + " s.")));
      env.settle();
    }
    assertThat(text(last(jobMaster.failed).reason()))
        .startsWith("The job needs 2 slots and has 0 after 5 min in which none came")
        .endsWith("YARN's ResourceManager has not answered for 290 s.");
  }

  @Test
  void replacesAnEndedWorkerWithoutAHeartbeatTimeout() {
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 2);
    env.settle();
    startWorker("w1");
    driver.events.ended(new WorkerId("w1"), words("It was killed."));
    env.settle();
    assertThat(workers()).isEmpty();
    assertThat(driver.requests).hasSize(1);
    assertThat(driver.released).isEmpty();
  }

  @Test
  @Behaviour(
      "D5: a TaskManager whose driver reports it gone is told so by its own ResourceManager and"
          + " ends")
  void tellsAWorkerThatEndedAccordingToTheDriverToTerminate() {
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 2);
    env.settle();
    FakeTaskManager worker = startWorker("w1");
    InstanceId instance = worker.instance.orElseThrow();
    driver.events.ended(worker.id, words("Its node is lost."));
    env.settle();

    assertThat(worker.drops)
        .containsExactly(
            new ResourceManagerDrops(leader().token(), instance, true, words("Its node is lost.")));
    assertThat(driver.requests).hasSize(1);
    assertThat(register(worker, 2).verdict()).isEqualTo(RegistrationStatus.REJECTED);
  }

  @Test
  @Behaviour(
      "D5: a TaskManager whose driver reports it gone is told so by its own ResourceManager and"
          + " ends")
  void refusesTheSlotsOfAWorkerThatEndedAccordingToTheDriverAfterItsRegistration() {
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 2);
    env.settle();
    driver.events.started(driver.requests.remove(0), new WorkerId("w1"));
    env.settle();
    FakeTaskManager worker = taskManager("w1", 2);
    assertThat(register(worker, 1).verdict()).isEqualTo(RegistrationStatus.ACCEPTED);
    driver.events.ended(worker.id, words("Its node is lost."));
    env.settle();

    CompletableFuture<Acknowledge> report = worker.report(leader());
    env.settle();
    assertThat(report).isCompletedExceptionally();
    assertThat(worker.drops).singleElement().matches(ResourceManagerDrops::forGood);
    assertThat(workers()).isEmpty();
  }

  /** The driver has lost the node, so it cannot end the process. */
  @Test
  void tellsAReleasedWorkerThatEndedAccordingToTheDriverToTerminate() {
    FakeTaskManager worker = releasedWorker();
    InstanceId instance = worker.instance.orElseThrow();
    driver.events.ended(worker.id, words("Its node is lost."));
    env.settle();

    assertThat(worker.drops)
        .containsExactly(
            new ResourceManagerDrops(leader().token(), instance, true, words("Its node is lost.")));
  }

  @Test
  void tellsAReleasedWorkerToTerminateAfterTheReleaseTimeout() {
    FakeTaskManager worker = releasedWorker();
    env.advance(Duration.ofMinutes(2));

    assertThat(clusterJournal(WorkerAssumedGone.class)).hasSize(1);
    assertThat(worker.drops).singleElement().matches(ResourceManagerDrops::forGood);
  }

  /** A registered worker that was idle and is released. */
  private FakeTaskManager releasedWorker() {
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 2);
    env.settle();
    FakeTaskManager worker = startWorker("w1");
    worker.occupants.clear();
    jobMaster.declare(leader(), 0);
    while (driver.released.isEmpty()) {
      env.advance(Duration.ofSeconds(1));
    }
    assertThat(worker.drops).isEmpty();
    return worker;
  }

  @Test
  void releasesAndReplacesAWorkerAfterAHeartbeatTimeout() {
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 2);
    env.settle();
    FakeTaskManager worker = startWorker("w1");
    worker.answersHeartbeats = false;
    env.advance(Duration.ofSeconds(61));
    assertThat(driver.released).containsExactly(worker.id);
    assertThat(driver.requests).hasSize(1);
    assertThat(register(worker, 2).verdict()).isEqualTo(RegistrationStatus.REJECTED);
  }

  @Test
  @Behaviour(
      "D8: a worker that has given up its registration is waited for as long, and replaced after"
          + " that")
  void waitsForAWorkerThatLostItsRegistrationUntilTheRecoveryTimeout() {
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 2);
    env.settle();
    FakeTaskManager worker = startWorker("w1");
    worker.slotAnswer = FakeTaskManager.SlotAnswer.UNREGISTERED;
    worker.occupants.clear();
    env.advance(Duration.ofSeconds(12));
    assertThat(workers()).isEmpty();
    assertThat(driver.requests).isEmpty();
    assertThat(text(last(jobMaster.pending).reason()))
        .contains("Waits for 1 worker that was there before to register again.");

    env.advance(Duration.ofSeconds(31));
    assertThat(driver.released).containsExactly(worker.id);
    assertThat(driver.requests).hasSize(1);
  }

  @Test
  @Behaviour("D7: an idle worker is released after resourcemanager.taskmanager-timeout")
  void releasesAnIdleWorker() {
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 2);
    env.settle();
    FakeTaskManager worker = startWorker("w1");
    jobMaster
        .at(leader())
        .disconnectJobMaster(new JobMasterLeaves(JOB, jobMaster.leader, true, words("finished")));
    for (RequestSlot request : List.copyOf(worker.requests)) {
      worker.occupants.clear();
      worker
          .at(leader())
          .slotAvailable(
              new SlotAvailable(worker.id, worker.instance.orElseThrow(), request.allocation()));
    }
    env.advance(Duration.ofSeconds(29));
    assertThat(driver.released).isEmpty();
    env.advance(Duration.ofSeconds(2));
    assertThat(driver.released).containsExactly(worker.id);
    assertThat(worker.drops).as("the driver ends the process").isEmpty();
    assertThat(workers()).isEmpty();
    assertThat(driver.requests).isEmpty();
  }

  @Test
  @Behaviour("D8: requests that are no longer needed are cancelled before the worker starts")
  void cancelsRequestsThatAreNotNeeded() {
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 4);
    env.settle();
    jobMaster.declare(leader(), 2);
    env.settle();
    assertThat(driver.cancelled).hasSize(1);
  }

  @Test
  @Behaviour("D8: requests that are no longer needed are cancelled before the worker starts")
  void doesNotUseSlotsOfAWorkerReleasedBeforeItsReport() {
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 2);
    env.settle();
    driver.events.started(driver.requests.remove(0), new WorkerId("w1"));
    env.settle();
    FakeTaskManager worker = taskManager("w1", 2);
    assertThat(register(worker, 1).verdict()).isEqualTo(RegistrationStatus.ACCEPTED);

    jobMaster.declare(leader(), 0);
    env.settle();
    assertThat(driver.released).containsExactly(worker.id);
    assertThat(workers()).isEmpty();
    CompletableFuture<Acknowledge> late = worker.report(leader());
    assertThatThrownBy(() -> env.answer(late)).hasMessageContaining("w1 is not registered");

    jobMaster.declare(leader(), 2);
    env.settle();
    assertThat(worker.requests).isEmpty();
    assertThat(driver.requests).hasSize(1);
  }

  @Test
  @Behaviour("D7: configured minimum and maximum hold, and the maximum can be changed at run time")
  void raisedLimitAllowsWorkersForAWaitingJob() {
    driver.most = 1;
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 3);
    env.settle();
    startWorker("w1");
    env.advance(Duration.ofSeconds(2));
    assertThat(text(last(jobMaster.pending).reason()))
        .contains("It takes a 2nd worker, and fake.max-taskmanagers allows 1.");
    CompletableFuture<Acknowledge> raised =
        jobMaster.at(leader()).limitWorkers(new LimitWorkers(2));
    env.settle();
    assertThat(raised).isCompleted();
    startWorker("w2");
    assertThat(last(jobMaster.pending).missing()).isZero();
  }

  @Test
  @Behaviour(
      "D7: a changed maximum holds for later leaders until the configuration changes; a former"
          + " leader cannot change it")
  void limitHoldsForTheNextLeader() {
    driver.most = 5;
    ResourceManagerRunner first =
        start(
            Configuration.EMPTY.with(ResourceManagerOptions.DRIVER, "fake"),
            driver,
            DelegationTokens.NONE);
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.at(leader()).limitWorkers(new LimitWorkers(3));
    jobMaster.at(leader()).limitWorkers(new LimitWorkers(2));
    env.settle();
    first.stop();
    env.settle();

    startActive();
    env.answer(jobMaster.register(leader()));
    jobMaster.declare(leader(), 10);
    env.settle();

    assertThat(driver.requests).hasSize(2);
    assertThat(clusterJournal(ResourceManagerEvent.WorkersLimited.class))
        .extracting(JournalText::of)
        .containsExactly(
            "There may be 3 workers.",
            "There may be 2 workers.",
            "There may be 2 workers, as was said before this term began.");
  }

  @Test
  void refusesALimitInAStandaloneCluster() {
    start();
    FakeJobMaster jobMaster = registeredJobMaster();
    CompletableFuture<Acknowledge> raised =
        jobMaster.at(leader()).limitWorkers(new LimitWorkers(2));
    env.settle();
    assertThatThrownBy(() -> env.answer(raised)).hasMessageContaining("--elastic");
  }

  @Test
  @Behaviour("D8: workers of a previous attempt are recovered, waited for and reused")
  void waitsForWorkersOfAnEarlierAttemptAndReusesThem() {
    driver.previous.add(new Previous(new WorkerId("old"), Optional.empty()));
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 2);
    env.settle();
    assertThat(driver.requests).isEmpty();
    assertThat(registered("old", 2).requests).hasSize(2);
    assertThat(driver.requests).isEmpty();
  }

  @Test
  @Behaviour("D1: events that the driver sends before the term begins are kept")
  void keepsEventsThatTheDriverReportsBeforeTheTermBegins() {
    driver.previous.add(new Previous(new WorkerId("old"), Optional.empty()));
    driver.ready = new CompletableFuture<>();
    startActive();
    driver.events.ended(new WorkerId("old"), words("It was killed."));
    env.settle();
    driver.ready.complete(null);
    env.settle();
    registeredJobMaster().declare(leader(), 2);
    env.settle();
    assertThat(driver.requests).as("a replacement for the ended worker").hasSize(1);
  }
}
