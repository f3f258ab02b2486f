package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.MemorySize;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.WorkerReason.WorkerNotNeeded;
import io.millrace.protocol.text.ReasonText;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.master.AllocatorAction.AddRequest;
import io.millrace.yarn.master.AllocatorAction.Close;
import io.millrace.yarn.master.AllocatorAction.DiscardLaunch;
import io.millrace.yarn.master.AllocatorAction.PrepareLaunch;
import io.millrace.yarn.master.AllocatorAction.QueryStatus;
import io.millrace.yarn.master.AllocatorAction.RemoveRequest;
import io.millrace.yarn.master.AllocatorAction.ReportBroken;
import io.millrace.yarn.master.AllocatorAction.ReportEnded;
import io.millrace.yarn.master.AllocatorAction.ReportFailed;
import io.millrace.yarn.master.AllocatorAction.ReportPending;
import io.millrace.yarn.master.AllocatorAction.ReportStarted;
import io.millrace.yarn.master.AllocatorAction.ReturnContainer;
import io.millrace.yarn.master.AllocatorAction.SendHeartbeat;
import io.millrace.yarn.master.AllocatorAction.StartContainer;
import io.millrace.yarn.master.AllocatorAction.StopContainer;
import io.millrace.yarn.master.AllocatorAction.Unregister;
import io.millrace.yarn.master.AllocatorAction.UpdateBlockedNodes;
import io.millrace.yarn.master.AllocatorEvent.AllocatedContainer;
import io.millrace.yarn.master.AllocatorEvent.CompletedContainer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The decisions of the driver, on virtual time. */
class ContainerAllocatorTest {
  private static final Duration FAST = Duration.ofMillis(250);
  private static final Duration FIRST_INTERVAL = Duration.ofMillis(50);
  private static final Duration SLOW = Duration.ofSeconds(5);
  private static final Configuration CONFIGURATION =
      Configuration.EMPTY
          .with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "1728m")
          .with(TaskManagerOptions.NUM_TASK_SLOTS, 2)
          .with(YarnOptions.REQUEST_HEARTBEAT, "250 ms")
          .with(YarnOptions.HEARTBEAT, "5 s");
  private static final YarnDriverSettings SETTINGS =
      new YarnDriverSettings(
          "application_1_1", CONFIGURATION, new ApplicationMasterAddress("host", 1, "http://host"));
  private static final WorkerSpec SPEC = SETTINGS.defaultSpec();
  private static final ContainerSize LARGEST = new ContainerSize(8192, 8, Map.of());
  private static final WorkerId FIRST = worker(1);
  private static final WorkerId SECOND = worker(2);
  private static final Reason NOT_NEEDED = new WorkerNotNeeded();
  private static final DriverTermination.Over OVER =
      new DriverTermination.Over(ApplicationStatus.SUCCEEDED, "Done.");

  private final ContainerAllocator allocator =
      new ContainerAllocator(SETTINGS, LARGEST, "root.default");
  private long now = Duration.ofDays(3).toNanos();

  @BeforeEach
  void register() {
    assertThat(apply(new AllocatorEvent.Registered(Map.of()))).containsExactly(new SendHeartbeat());
    answer(List.of(), List.of());
  }

  // --- requests and containers

  @Test
  @Behaviour(
      "D9: each YARN request becomes one container of the computed size with one worker, also for"
          + " larger workers beside default ones")
  void requestAsksForAContainerOfTheComputedSize() {
    List<AllocatorAction> actions = request(1);
    AddRequest added = only(AddRequest.class, actions);
    assertThat(added.request().size()).isEqualTo(new ContainerSize(1728, 2, Map.of()));
    assertThat(added.request().priority()).isEqualTo(ContainerRequests.DEFAULT_PRIORITY);
    assertThat(added.request().wallMillis()).isEqualTo(wallMillis());
  }

  @Test
  void allocatedContainerIsReportedBeforeItIsLaunched() {
    request(1);
    List<AllocatorAction> actions = allocate(FIRST, 1);
    assertThat(actions)
        .containsExactly(
            new ReportStarted(1, FIRST), new PrepareLaunch(FIRST, SPEC), new RemoveRequest(1));
    assertThat(apply(new AllocatorEvent.LaunchPrepared(FIRST)))
        .containsExactly(new StartContainer(FIRST));
  }

  @Test
  @Behaviour(
      "D9: a request that is no longer needed is withdrawn from YARN, and an excess container is"
          + " returned")
  void containerWithoutARequestIsReturnedAtOnce() {
    request(1);
    assertThat(apply(new AllocatorEvent.RequestCancelled(1))).containsExactly(new RemoveRequest(1));
    assertThat(allocate(FIRST, 1)).containsExactly(new ReturnContainer(FIRST), new SendHeartbeat());
    assertThat(apply(new AllocatorEvent.RequestCancelled(1))).isEmpty();
  }

  @Test
  void secondContainerOfARequestIsReturned() {
    request(1);
    List<AllocatorAction> actions =
        answer(List.of(container(FIRST, 1), container(SECOND, 1)), List.of());
    assertThat(actions).contains(new ReportStarted(1, FIRST), new ReturnContainer(SECOND));
    assertThat(all(ReportStarted.class, actions)).hasSize(1);
  }

  @Test
  void containerThatIsReportedTwiceStaysInUse() {
    request(1);
    allocate(FIRST, 1);
    request(2);
    assertThat(allocate(FIRST, 1)).isEmpty();
    assertThat(allocate(FIRST, 2)).isEmpty();
    assertThat(allocate(SECOND, 2)).contains(new ReportStarted(2, SECOND));
  }

  @Test
  void containerOfAnOldYarnServesTheOldestRequestOfItsPriority() {
    request(1);
    request(2);
    assertThat(
            answer(
                List.of(
                    new AllocatedContainer(
                        FIRST, "node:1", -1, ContainerRequests.DEFAULT_PRIORITY)),
                List.of()))
        .contains(new ReportStarted(1, FIRST));
  }

  @Test
  @Behaviour(
      "D9: a worker larger than YARN's largest container is refused with both numbers, and the"
          + " application fails")
  void workerThatIsTooLargeFailsWithoutARequest() {
    WorkerSpec tooLarge =
        new WorkerSpec(
            new ResourceProfile(1, MemorySize.ofMebi(20_000).bytes(), 0, 0, 0, Map.of()), 1);
    List<AllocatorAction> actions =
        apply(new AllocatorEvent.WorkerRequested(1, tooLarge, wallMillis()));
    ReportFailed failed = only(ReportFailed.class, actions);
    assertThat(failed.request()).isEqualTo(1);
    assertThat(ReasonText.of(failed.reason())).contains("8192 mb and 8 vcores");
    assertThat(all(AddRequest.class, actions)).isEmpty();
  }

  @Test
  void requestThatTheLibraryRejectsFails() {
    request(1);
    Reason reason = new ErrorReason("Unknown node label.");
    assertThat(apply(new AllocatorEvent.RequestRejected(1, reason)))
        .containsExactly(new ReportFailed(1, reason));
    assertThat(apply(new AllocatorEvent.RequestRejected(1, reason))).isEmpty();
  }

  @Test
  void refusalOfYarnFailsAllPendingRequests() {
    request(1);
    request(2);
    List<AllocatorAction> actions = apply(new AllocatorEvent.RequestsRefused("no such label"));
    assertThat(actions).contains(new RemoveRequest(1), new RemoveRequest(2));
    assertThat(all(ReportFailed.class, actions))
        .extracting(failed -> ReasonText.of(failed.reason()))
        .hasSize(2)
        .allMatch(text -> text.contains("YARN refuses the container: no such label"));
    // Heartbeats continue.
    advance(SLOW);
    assertThat(tick()).containsExactly(new SendHeartbeat());
  }

  // --- ends

  @Test
  @Behaviour("D9: killed workers and lost nodes are reported with YARN's diagnostics")
  void completedContainerIsReportedWithItsExitStatus() {
    start(FIRST, 1);
    // What is wrong with the node may come with the next answer.
    assertThat(complete(FIRST, -100, "Node n1 is lost."))
        .containsExactly(new AllocatorAction.SendHeartbeat());
    ReportEnded ended = only(ReportEnded.class, answer(List.of(), List.of()));
    assertThat(ended.worker()).isEqualTo(FIRST);
    assertThat(ReasonText.of(ended.reason())).contains("-100", "Node n1 is lost.");
    assertThat(complete(FIRST, -100, "")).isEmpty();
  }

  @Test
  void endOfAnUnknownContainerIsIgnored() {
    assertThat(complete(FIRST, 0, "")).isEmpty();
  }

  @Test
  void containerThatEndsInTheAnswerThatAllocatesItIsReportedAsStartedAndEnded() {
    request(1);
    List<AllocatorAction> actions =
        answer(List.of(container(FIRST, 1)), List.of(new CompletedContainer(FIRST, -101, "")));
    assertThat(actions.indexOf(new ReportStarted(1, FIRST)))
        .isLessThan(actions.indexOf(only(ReportEnded.class, actions)));
    assertThat(apply(new AllocatorEvent.LaunchPrepared(FIRST)))
        .containsExactly(new DiscardLaunch(FIRST));
  }

  @Test
  void launchFailureReturnsTheContainer() {
    start(FIRST, 1);
    List<AllocatorAction> actions =
        apply(new AllocatorEvent.LaunchFailed(FIRST, new IOException("connection refused")));
    assertThat(actions).contains(new ReturnContainer(FIRST));
    assertThat(ReasonText.of(only(ReportEnded.class, actions).reason()))
        .contains("could not be started", "connection refused");
    // YARN reports its end later.
    assertThat(complete(FIRST, -100, "")).isEmpty();
    assertThat(apply(new AllocatorEvent.LaunchFailed(FIRST, new IOException("again")))).isEmpty();
  }

  @Test
  void releasedWorkerIsStoppedAndReturnedOnce() {
    start(FIRST, 1);
    assertThat(release(FIRST))
        .containsExactly(
            new StopContainer(FIRST, "node:1"), new ReturnContainer(FIRST), new SendHeartbeat());
    assertThat(release(FIRST)).isEmpty();
    ReportEnded ended = only(ReportEnded.class, complete(FIRST, -105, ""));
    assertThat(ReasonText.of(ended.reason())).contains(ReasonText.of(NOT_NEEDED));
  }

  @Test
  void workerThatIsReleasedDuringItsLaunchIsNotStarted() {
    request(1);
    allocate(FIRST, 1);
    List<AllocatorAction> actions = release(FIRST);
    assertThat(actions).contains(new ReturnContainer(FIRST));
    assertThat(all(StopContainer.class, actions)).isEmpty();
    assertThat(apply(new AllocatorEvent.LaunchPrepared(FIRST)))
        .containsExactly(new DiscardLaunch(FIRST));
    assertThat(all(ReportEnded.class, complete(FIRST, -100, ""))).hasSize(1);
  }

  @Test
  void launchFailureOfAReleasedWorkerDoesNotReturnItAgain() {
    start(FIRST, 1);
    release(FIRST);
    List<AllocatorAction> actions =
        apply(new AllocatorEvent.LaunchFailed(FIRST, new IOException("too late")));
    assertThat(all(ReturnContainer.class, actions)).isEmpty();
    assertThat(ReasonText.of(only(ReportEnded.class, actions).reason()))
        .contains(ReasonText.of(NOT_NEEDED));
  }

  @Test
  void releaseOfAnUnknownWorkerIsIgnored() {
    assertThat(release(FIRST)).isEmpty();
  }

  // --- earlier attempts

  @Test
  @Behaviour(
      "D9: containers outlive a JobManager that is replaced, and the next attempt recovers them")
  void workerOfAnEarlierAttemptCanEndAndBeReleased() {
    ContainerAllocator next = new ContainerAllocator(SETTINGS, LARGEST, "root.default");
    next.apply(new AllocatorEvent.Registered(Map.of(FIRST, "a:1", SECOND, "b:1")), now);
    List<AllocatorAction> released =
        next.apply(new AllocatorEvent.WorkerReleased(FIRST, NOT_NEEDED), now);
    // This attempt has no token for the node.
    assertThat(released).containsExactly(new ReturnContainer(FIRST));
    List<AllocatorAction> ended =
        next.apply(
            new AllocatorEvent.HeartbeatAnswered(
                List.of(),
                List.of(
                    new CompletedContainer(FIRST, -100, ""),
                    new CompletedContainer(SECOND, 137, "")),
                List.of(),
                ContainerSize.NONE),
            now);
    assertThat(all(ReportEnded.class, ended))
        .extracting(ReportEnded::worker)
        .containsExactly(FIRST, SECOND);
  }

  @Test
  void containerOfAnEarlierAttemptThatIsFoundLateIsReturned() {
    start(FIRST, 1);
    List<AllocatorAction> actions =
        apply(
            new AllocatorEvent.HeartbeatAnswered(
                List.of(), List.of(), List.of(FIRST, SECOND), ContainerSize.NONE));
    assertThat(all(ReturnContainer.class, actions)).containsExactly(new ReturnContainer(SECOND));
  }

  // --- blocked nodes

  @Test
  @Behaviour("D10: YARN allocates no container on a blocked node")
  void onlyChangesOfBlockedNodesAreSent() {
    assertThat(apply(new AllocatorEvent.NodesBlocked(List.of("a", "b"))))
        .containsExactly(new UpdateBlockedNodes(List.of("a", "b"), List.of()));
    assertThat(apply(new AllocatorEvent.NodesBlocked(List.of("b", "c"))))
        .containsExactly(new UpdateBlockedNodes(List.of("c"), List.of("a")));
    assertThat(apply(new AllocatorEvent.NodesBlocked(List.of())))
        .containsExactly(new UpdateBlockedNodes(List.of(), List.of("b", "c")));
  }

  // --- heartbeats

  @Test
  void heartbeatsAreSlowWhenNothingIsPending() {
    assertThat(allocator.nextWake()).hasValue(now + SLOW.toNanos());
    advance(SLOW.minusNanos(1));
    assertThat(tick()).isEmpty();
    advance(Duration.ofNanos(1));
    assertThat(tick()).containsExactly(new SendHeartbeat());
    assertThat(allocator.nextWake()).isEmpty();
  }

  @Test
  void requestAfterAQuietTimeSendsAHeartbeatAtOnce() {
    advance(Duration.ofSeconds(1));
    assertThat(request(1)).last().isEqualTo(new SendHeartbeat());
    answer(List.of(), List.of());
    advance(FAST);
    assertThat(tick()).containsExactly(new SendHeartbeat());
  }

  @Test
  void requestsInQuickSuccessionShareAHeartbeat() {
    assertThat(request(1)).contains(new SendHeartbeat());
    answer(List.of(), List.of());
    assertThat(all(SendHeartbeat.class, request(2))).isEmpty();
    assertThat(allocator.nextWake()).hasValue(now + FIRST_INTERVAL.toNanos());
  }

  @Test
  void heartbeatsAfterARequestBeginOftenAndBecomeRarerUntilTheFirstContainer() {
    long requestedAt = now;
    request(1);
    List<Long> intervals = new ArrayList<>();
    while (now - requestedAt < Duration.ofMillis(1_500).toNanos()) {
      answer(List.of(), List.of());
      long next = allocator.nextWake().orElseThrow();
      assertThat(next - now)
          .isLessThanOrEqualTo(Math.max(FIRST_INTERVAL.toNanos(), (now - requestedAt) / 4))
          .isLessThanOrEqualTo(FAST.toNanos());
      intervals.add(next - now);
      now = next;
      assertThat(tick()).containsExactly(new SendHeartbeat());
    }
    assertThat(intervals)
        .isSorted()
        .startsWith(FIRST_INTERVAL.toNanos())
        .endsWith(FAST.toNanos())
        .hasSizeLessThan(20);
  }

  @Test
  void heartbeatsAreNotMoreFrequentWhileABatchHasSomeOfItsContainers() {
    // The third request is of another batch.
    request(1);
    answer(List.of(), List.of());
    request(2);
    request(3);
    advance(FIRST_INTERVAL);
    tick();
    allocate(FIRST, 2);
    assertThat(allocator.nextWake()).hasValue(now + FAST.toNanos());
  }

  @Test
  void onlyOneHeartbeatIsUnderWay() {
    assertThat(all(SendHeartbeat.class, request(1))).hasSize(1);
    assertThat(all(SendHeartbeat.class, request(2))).isEmpty();
    advance(SLOW);
    assertThat(all(SendHeartbeat.class, tick())).isEmpty();
  }

  @Test
  void returnDuringAHeartbeatSendsAnotherOneAfterIt() {
    start(FIRST, 1);
    advance(FAST);
    assertThat(tick()).containsExactly(new SendHeartbeat());
    assertThat(all(SendHeartbeat.class, release(FIRST))).isEmpty();
    assertThat(answer(List.of(), List.of())).containsExactly(new SendHeartbeat());
  }

  @Test
  void heartbeatsAreFastWhileAWorkerStarts() {
    start(FIRST, 1);
    assertThat(allocator.nextWake()).hasValue(now + FAST.toNanos());
    advance(ContainerAllocator.START_PERIOD);
    tick();
    answer(List.of(), List.of());
    assertThat(allocator.nextWake()).hasValue(now + SLOW.toNanos());
  }

  @Test
  void heartbeatsAreFastUntilAReleasedWorkerHasEnded() {
    start(FIRST, 1);
    advance(ContainerAllocator.START_PERIOD);
    tick();
    answer(List.of(), List.of());
    release(FIRST);
    answer(List.of(), List.of());
    assertThat(allocator.nextWake()).hasValue(now + FAST.toNanos());
    advance(FAST);
    tick();
    complete(FIRST, -105, "");
    assertThat(allocator.nextWake()).hasValue(now + SLOW.toNanos());
  }

  @Test
  void noHeartbeatFollowsAfterTheLossOfTheResourceManager() {
    ReportBroken broken =
        only(
            ReportBroken.class,
            apply(new AllocatorEvent.ResourceManagerLost(new IOException("no route"))));
    assertThat(broken.cause())
        .hasMessageContaining("ResourceManager is lost: IOException: no route");
    assertThat(all(SendHeartbeat.class, request(1))).isEmpty();
    advance(Duration.ofMillis(1));
    assertThat(all(SendHeartbeat.class, tick())).isEmpty();
  }

  @Test
  void noHeartbeatFollowsAfterANewAttempt() {
    ReportBroken broken = only(ReportBroken.class, apply(new AllocatorEvent.AttemptSuperseded()));
    assertThat(broken.cause()).hasMessageContaining("begun another one");
    assertThat(all(SendHeartbeat.class, request(1))).isEmpty();
  }

  // --- reports about pending containers

  @Test
  @Behaviour(
      "D11: while containers are pending, the reason shows the queue, its usage, the free and"
          + " reserved room and the age of YARN's answer")
  void pendingContainersAreReportedAfterTwoSeconds() {
    request(1);
    request(2);
    apply(
        new AllocatorEvent.HeartbeatAnswered(
            List.of(), List.of(), List.of(), new ContainerSize(100, 1, Map.of())));
    advance(Duration.ofSeconds(2));
    assertThat(tick()).contains(new QueryStatus());
    ReportPending report =
        only(
            ReportPending.class,
            apply(new AllocatorEvent.StatusAnswered(Optional.of("the queue is full"))));
    assertThat(ReasonText.of(report.reason().orElseThrow()))
        .contains("2 containers of 1728 mb and 2 vcores and has not given them since")
        .contains("; the queue is full; left for this application now: 100 mb and 1 vcore")
        .contains("8192 mb and 8 vcores");
  }

  @Test
  void reportNamesTheQueueIfYarnDoesNotAnswer() {
    request(1);
    advance(Duration.ofSeconds(2));
    tick();
    ReportPending report =
        only(ReportPending.class, apply(new AllocatorEvent.StatusAnswered(Optional.empty())));
    assertThat(ReasonText.of(report.reason().orElseThrow()))
        .contains("has not given it since", "its queue is 'root.default'");
  }

  @Test
  void statusIsQueriedEveryTenSecondsAndNotWhileAQueryIsUnderWay() {
    request(1);
    advance(Duration.ofSeconds(2));
    assertThat(all(QueryStatus.class, tick())).hasSize(1);
    advance(Duration.ofSeconds(60));
    assertThat(all(QueryStatus.class, tick())).isEmpty();
    // The query has lasted for longer than the interval.
    assertThat(all(QueryStatus.class, status("full"))).hasSize(1);
    status("full");
    advance(Duration.ofSeconds(9));
    assertThat(all(QueryStatus.class, tick())).isEmpty();
    advance(Duration.ofSeconds(1));
    assertThat(all(QueryStatus.class, tick())).hasSize(1);
  }

  @Test
  void reportIsWithdrawnASecondAfterTheLastRequest() {
    request(1);
    advance(Duration.ofSeconds(2));
    tick();
    status("full");
    assertThat(all(ReportPending.class, apply(new AllocatorEvent.RequestCancelled(1)))).isEmpty();
    advance(Duration.ofSeconds(1));
    assertThat(tick()).contains(new ReportPending(Optional.empty()));
    advance(Duration.ofSeconds(10));
    assertThat(all(ReportPending.class, tick())).isEmpty();
  }

  @Test
  void reportStaysIfAnotherRequestFollowsWithinASecond() {
    request(1);
    advance(Duration.ofSeconds(2));
    tick();
    status("full");
    apply(new AllocatorEvent.RequestCancelled(1));
    advance(Duration.ofMillis(500));
    assertThat(all(ReportPending.class, request(2))).isEmpty();
    advance(Duration.ofSeconds(1));
    assertThat(all(ReportPending.class, tick())).isEmpty();
  }

  @Test
  void answerAfterTheLastRequestIsNotReported() {
    request(1);
    advance(Duration.ofSeconds(2));
    tick();
    allocate(FIRST, 1);
    assertThat(all(ReportPending.class, status("full"))).isEmpty();
    advance(Duration.ofSeconds(2));
    assertThat(all(ReportPending.class, tick())).isEmpty();
  }

  @Test
  void answerToAnEarlierQueryIsNotReportedForANewRequest() {
    request(1);
    advance(Duration.ofSeconds(2));
    tick();
    apply(new AllocatorEvent.RequestCancelled(1));
    request(2);
    assertThat(all(ReportPending.class, status("full"))).isEmpty();
  }

  // --- stop

  @Test
  void suspensionClosesAtOnceAndKeepsTheWorkers() {
    start(FIRST, 1);
    assertThat(stop(new DriverTermination.Suspended())).containsExactly(new Close());
    assertThat(allocator.nextWake()).isEmpty();
    assertThat(request(2)).isEmpty();
    assertThat(complete(FIRST, 0, "")).isEmpty();
  }

  @Test
  @Behaviour(
      "B3: YARN gets the outcome and its cause on deregistration; containers and staged files are"
          + " removed")
  void endOfTheApplicationUnregistersAndThenCloses() {
    assertThat(stop(OVER)).containsExactly(new Unregister(OVER));
    assertThat(stop(OVER)).isEmpty();
    assertThat(apply(new AllocatorEvent.Unregistered())).containsExactly(new Close());
    assertThat(apply(new AllocatorEvent.Unregistered())).isEmpty();
  }

  @Test
  void unregistrationWaitsForTheAnswerToAHeartbeat() {
    request(1);
    assertThat(stop(OVER)).isEmpty();
    assertThat(answer(List.of(), List.of())).containsExactly(new Unregister(OVER));
  }

  @Test
  void unregistrationDoesNotWaitForLong() {
    request(1);
    assertThat(stop(OVER)).isEmpty();
    assertThat(allocator.nextWake()).hasValue(now + ContainerAllocator.HEARTBEAT_GRACE.toNanos());
    advance(ContainerAllocator.HEARTBEAT_GRACE);
    assertThat(tick()).containsExactly(new Unregister(OVER));
    advance(ContainerAllocator.STOP_TIMEOUT.minus(ContainerAllocator.HEARTBEAT_GRACE));
    assertThat(tick()).containsExactly(new Close());
  }

  @Test
  void lateAnswersAfterTheStopCauseNoEvents() {
    request(1);
    stop(OVER);
    assertThat(answer(List.of(container(FIRST, 1)), List.of()))
        .containsExactly(new Unregister(OVER));
    assertThat(apply(new AllocatorEvent.ResourceManagerLost(new IOException("gone")))).isEmpty();
    assertThat(status("full")).isEmpty();
    assertThat(apply(new AllocatorEvent.LaunchPrepared(SECOND)))
        .containsExactly(new DiscardLaunch(SECOND));
  }

  @Test
  void stopAfterTheLossOfTheResourceManagerDoesNotWaitForAHeartbeat() {
    apply(new AllocatorEvent.ResourceManagerLost(new IOException("gone")));
    assertThat(stop(OVER)).containsExactly(new Unregister(OVER));
  }

  /** One event of each type: a new type must be handled or ignored on purpose. */
  @Test
  void everyEventIsHandled() {
    List<AllocatorEvent> events =
        List.of(
            new AllocatorEvent.Registered(Map.of()),
            new AllocatorEvent.WorkerRequested(1, SPEC, 0),
            new AllocatorEvent.RequestCancelled(1),
            new AllocatorEvent.RequestRejected(1, NOT_NEEDED),
            new AllocatorEvent.WorkerReleased(FIRST, NOT_NEEDED),
            new AllocatorEvent.NodesBlocked(List.of()),
            new AllocatorEvent.HeartbeatAnswered(
                List.of(), List.of(), List.of(), ContainerSize.NONE),
            new AllocatorEvent.RemovalsAnnounced(3, Map.of(), List.of(FIRST)),
            new AllocatorEvent.NodesChanged(Map.of(), List.of()),
            new AllocatorEvent.RequestsRefused(""),
            new AllocatorEvent.AttemptSuperseded(),
            new AllocatorEvent.ResourceManagerLost(new IOException()),
            new AllocatorEvent.LaunchPrepared(FIRST),
            new AllocatorEvent.LaunchFailed(FIRST, new IOException()),
            new AllocatorEvent.ContainerAnswered(FIRST, false, Optional.empty()),
            new AllocatorEvent.StatusAnswered(Optional.empty()),
            new AllocatorEvent.Unregistered(),
            new AllocatorEvent.Tick(),
            new AllocatorEvent.StopRequested(OVER));
    assertThat(events)
        .extracting(Object::getClass)
        .containsExactlyInAnyOrderElementsOf(
            List.<Class<?>>of(AllocatorEvent.class.getPermittedSubclasses()));
    for (AllocatorEvent event : events) {
      assertThat(apply(event)).as("%s", event).isNotNull();
    }
  }

  @Test
  void requestThatIsMadeTwiceIsABug() {
    request(1);
    assertThatThrownBy(() -> request(1)).isInstanceOf(IllegalArgumentException.class);
  }

  // --- helpers

  private static WorkerId worker(int number) {
    return new WorkerId(String.format("container_e01_1_0001_01_%06d", number));
  }

  private static AllocatedContainer container(WorkerId worker, long request) {
    return new AllocatedContainer(worker, "node:1", request, ContainerRequests.DEFAULT_PRIORITY);
  }

  private List<AllocatorAction> apply(AllocatorEvent event) {
    return allocator.apply(event, now);
  }

  private List<AllocatorAction> tick() {
    return apply(new AllocatorEvent.Tick());
  }

  private void advance(Duration time) {
    now += time.toNanos();
  }

  private long wallMillis() {
    return 1_700_000_000_000L + now / 1_000_000;
  }

  private List<AllocatorAction> request(long request) {
    return apply(new AllocatorEvent.WorkerRequested(request, SPEC, wallMillis()));
  }

  private List<AllocatorAction> release(WorkerId worker) {
    return apply(new AllocatorEvent.WorkerReleased(worker, NOT_NEEDED));
  }

  private List<AllocatorAction> stop(DriverTermination termination) {
    return apply(new AllocatorEvent.StopRequested(termination));
  }

  private List<AllocatorAction> status(String words) {
    return apply(new AllocatorEvent.StatusAnswered(Optional.of(words)));
  }

  private List<AllocatorAction> answer(
      List<AllocatedContainer> allocated, List<CompletedContainer> completed) {
    return apply(
        new AllocatorEvent.HeartbeatAnswered(allocated, completed, List.of(), ContainerSize.NONE));
  }

  private List<AllocatorAction> allocate(WorkerId worker, long request) {
    return answer(List.of(container(worker, request)), List.of());
  }

  private List<AllocatorAction> complete(WorkerId worker, int status, String diagnostics) {
    return answer(List.of(), List.of(new CompletedContainer(worker, status, diagnostics)));
  }

  private void start(WorkerId worker, long request) {
    request(request);
    allocate(worker, request);
    assertThat(apply(new AllocatorEvent.LaunchPrepared(worker)))
        .containsExactly(new StartContainer(worker));
  }

  private static <T> List<T> all(Class<T> type, List<AllocatorAction> actions) {
    List<T> found = new ArrayList<>();
    actions.stream().filter(type::isInstance).map(type::cast).forEach(found::add);
    return found;
  }

  private static <T> T only(Class<T> type, List<AllocatorAction> actions) {
    assertThat(all(type, actions)).as("%s", actions).hasSize(1);
    return all(type, actions).get(0);
  }
}
