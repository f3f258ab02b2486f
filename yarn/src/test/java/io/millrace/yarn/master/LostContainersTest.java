package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.WorkerReason.WorkerIdle;
import io.millrace.protocol.reason.WorkerReason.WorkerReleased;
import io.millrace.protocol.text.ReasonText;
import io.millrace.yarn.master.AllocatorAction.QueryContainer;
import io.millrace.yarn.master.AllocatorAction.ReportEnded;
import io.millrace.yarn.master.AllocatorAction.ReturnContainer;
import io.millrace.yarn.master.AllocatorAction.StopContainer;
import io.millrace.yarn.master.AllocatorEvent.AllocatedContainer;
import io.millrace.yarn.master.AllocatorEvent.CompletedContainer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Why a worker ended whose connection broke, on virtual time. */
class LostContainersTest {
  private static final Configuration CONFIGURATION =
      Configuration.EMPTY.with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "1728m");
  private static final YarnDriverSettings SETTINGS =
      new YarnDriverSettings(
          "application_1_1", CONFIGURATION, new ApplicationMasterAddress("host", 1, "http://host"));
  private static final WorkerId WORKER = new WorkerId("container_1_1_1_1");
  private static final Reason BROKEN = new ConnectionLost("Network closed for unknown reason");

  private final ContainerAllocator allocator =
      new ContainerAllocator(SETTINGS, new ContainerSize(8192, 8, Map.of()), "root.default");
  private long now;

  @BeforeEach
  void startWorker() {
    apply(new AllocatorEvent.Registered(Map.of()));
    apply(new AllocatorEvent.WorkerRequested(1, WorkerSpec.of(CONFIGURATION), 0));
    heartbeat(List.of(new AllocatedContainer(WORKER, "node:1", 1, 1)), List.of());
    apply(new AllocatorEvent.LaunchPrepared(WORKER));
  }

  @ParameterizedTest
  @CsvSource({
    "-103, more virtual memory",
    "-104, more memory than its container has",
    "137, killed by signal 9"
  })
  @Behaviour(
      "D9: YARN's exit status is the reason of a lost worker, also if the connection broke before")
  void nodeSaysWhyAWorkerWithABrokenConnectionEnded(int status, String expected) {
    List<AllocatorAction> actions = release(BROKEN);
    assertThat(actions)
        .contains(new QueryContainer(WORKER, "node:1"))
        .noneMatch(action -> action instanceof ReturnContainer || action instanceof StopContainer);
    actions = answered(status);
    assertThat(actions).contains(new ReturnContainer(WORKER));
    assertThat(text(actions)).contains(expected);
    // YARN's ResourceManager says that it was returned.
    assertThat(ended(completed(-100))).isEmpty();
  }

  @Test
  void processThatIsJustEndingIsAskedAgain() {
    release(BROKEN);
    assertThat(running()).isEmpty();
    advance(LostContainers.INTERVAL);
    assertThat(apply(new AllocatorEvent.Tick())).contains(new QueryContainer(WORKER, "node:1"));
    assertThat(text(answered(137))).contains("killed by signal 9");
  }

  @Test
  void onlyTheResourceManagerKnowsAPreEmption() {
    release(BROKEN);
    assertThat(ended(answered(-106))).isEmpty();
    assertThat(text(completed(-102))).contains("pre-empted its container");
  }

  @Test
  void killedContainerWithoutAFurtherReasonIsReportedAfterTheWait() {
    release(BROKEN);
    answered(-106);
    advance(LostContainers.PATIENCE);
    assertThat(text(apply(new AllocatorEvent.Tick())))
        .contains("ResourceManager has killed its container");
  }

  @Test
  void lostNodeIsTheReasonEvenIfItsContainerWasToBeReleased() {
    release(BROKEN);
    apply(new AllocatorEvent.ContainerAnswered(WORKER, false, Optional.empty()));
    assertThat(text(completed(-100))).contains("its node is lost");
  }

  @Test
  @Behaviour("D5: a worker that runs on without a connection is stopped after a bounded wait")
  void runningContainerIsStoppedAfterTheWait() {
    release(BROKEN);
    running();
    advance(LostContainers.PATIENCE);
    assertThat(apply(new AllocatorEvent.Tick()))
        .contains(new StopContainer(WORKER, "node:1"), new ReturnContainer(WORKER));
    assertThat(ended(completed(-105)).get(0).reason()).isEqualTo(new WorkerReleased(BROKEN));
  }

  @Test
  void exitStatusWinsAlsoAfterTheContainerWasReturned() {
    release(BROKEN);
    apply(new AllocatorEvent.ContainerAnswered(WORKER, false, Optional.empty()));
    advance(LostContainers.PATIENCE);
    apply(new AllocatorEvent.Tick());
    assertThat(text(completed(-104))).contains("more memory");
  }

  @Test
  void idleWorkerIsStoppedAtOnce() {
    Reason idle = new WorkerIdle(Duration.ofSeconds(30));
    assertThat(release(idle))
        .contains(new StopContainer(WORKER, "node:1"), new ReturnContainer(WORKER));
    assertThat(ended(completed(-105)).get(0).reason()).isEqualTo(new WorkerReleased(idle));
  }

  private List<AllocatorAction> release(Reason reason) {
    return apply(new AllocatorEvent.WorkerReleased(WORKER, reason));
  }

  private List<AllocatorAction> running() {
    return apply(new AllocatorEvent.ContainerAnswered(WORKER, true, Optional.empty()));
  }

  private List<AllocatorAction> answered(int status) {
    return apply(
        new AllocatorEvent.ContainerAnswered(
            WORKER, true, Optional.of(new CompletedContainer(WORKER, status, ""))));
  }

  private List<AllocatorAction> completed(int status) {
    return heartbeat(List.of(), List.of(new CompletedContainer(WORKER, status, "")));
  }

  private List<AllocatorAction> heartbeat(
      List<AllocatedContainer> allocated, List<CompletedContainer> completed) {
    return apply(
        new AllocatorEvent.HeartbeatAnswered(allocated, completed, List.of(), ContainerSize.NONE));
  }

  private List<AllocatorAction> apply(AllocatorEvent event) {
    return allocator.apply(event, now);
  }

  private void advance(Duration time) {
    now += time.toNanos();
  }

  private static List<ReportEnded> ended(List<AllocatorAction> actions) {
    List<ReportEnded> ended = new ArrayList<>();
    for (AllocatorAction action : actions) {
      if (action instanceof ReportEnded end) {
        ended.add(end);
      }
    }
    return ended;
  }

  private static String text(List<AllocatorAction> actions) {
    assertThat(ended(actions)).hasSize(1);
    return ReasonText.of(ended(actions).get(0).reason());
  }
}
