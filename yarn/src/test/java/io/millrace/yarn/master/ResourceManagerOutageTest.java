package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.protocol.text.ReasonText;
import io.millrace.yarn.master.AllocatorAction.QueryStatus;
import io.millrace.yarn.master.AllocatorAction.ReportEnded;
import io.millrace.yarn.master.AllocatorAction.ReportPending;
import io.millrace.yarn.master.AllocatorAction.SendHeartbeat;
import io.millrace.yarn.master.AllocatorEvent.AllocatedContainer;
import io.millrace.yarn.master.AllocatorEvent.CompletedContainer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the driver reports while YARN's ResourceManager does not answer, on virtual time. */
class ResourceManagerOutageTest {
  private static final Configuration CONFIGURATION =
      Configuration.EMPTY.with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "1728m");
  private static final YarnDriverSettings SETTINGS =
      new YarnDriverSettings(
          "application_1_1", CONFIGURATION, new ApplicationMasterAddress("host", 1, "http://host"));

  private final ContainerAllocator allocator =
      new ContainerAllocator(SETTINGS, new ContainerSize(8192, 8, Map.of()), "root.default");
  private long now;

  @BeforeEach
  void register() {
    apply(new AllocatorEvent.Registered(Map.of()));
    answered();
  }

  @Test
  @Behaviour("D11: the reason of a pending worker names an outage of YARN's ResourceManager")
  void pendingWorkerReportsAHeartbeatWithoutAnAnswer() {
    request(1);
    advance(PendingContainerReport.OUTAGE_AFTER);
    assertThat(reports(tick()))
        .containsExactly(
            "YARN's ResourceManager has not answered for 5 s. 1 container cannot be requested until"
                + " it answers again.");
    request(2);
    advance(Duration.ofSeconds(10));
    assertThat(reports(tick()))
        .containsExactly(
            "YARN's ResourceManager has not answered for 15 s. 2 containers cannot be requested"
                + " until it answers again.");
    // An answer about the queue would be an old one.
    assertThat(reports(apply(new AllocatorEvent.StatusAnswered(Optional.of("old"))))).isEmpty();
  }

  @Test
  @Behaviour("D11: the reason of a pending worker names an outage of YARN's ResourceManager")
  void replacementOfAWorkerThatIsLostDuringAnOutageReportsIt() {
    WorkerId worker = new WorkerId("container_1_1_1_1");
    request(1);
    apply(
        new AllocatorEvent.HeartbeatAnswered(
            List.of(new AllocatedContainer(worker, "node:1", 1, 1)),
            List.of(),
            List.of(),
            ContainerSize.NONE));
    apply(new AllocatorEvent.LaunchPrepared(worker));
    answered();
    advance(Duration.ofMinutes(1));
    assertThat(tick()).contains(new SendHeartbeat());
    advance(Duration.ofMinutes(1));
    assertThat(reports(tick())).as("no worker is missing").isEmpty();
    apply(new AllocatorEvent.WorkerReleased(worker, new ConnectionLost("reset")));
    assertThat(
            apply(
                new AllocatorEvent.ContainerAnswered(
                    worker, true, Optional.of(new CompletedContainer(worker, 137, "")))))
        .anyMatch(action -> action instanceof ReportEnded);
    assertThat(reports(request(2)))
        .containsExactly(
            "YARN's ResourceManager has not answered for 60 s. 1 container cannot be requested until"
                + " it answers again.");
  }

  @Test
  void statusIsAskedAgainAfterTheOutage() {
    request(1);
    advance(PendingContainerReport.OUTAGE_AFTER);
    tick();
    apply(new AllocatorEvent.StatusAnswered(Optional.empty()));
    answered();
    assertThat(tick()).contains(new QueryStatus());
    assertThat(reports(apply(new AllocatorEvent.StatusAnswered(Optional.of("full")))))
        .singleElement()
        .asString()
        .contains("full");
  }

  @Test
  void nothingIsReportedWithoutAPendingWorker() {
    advance(Duration.ofSeconds(5));
    tick();
    advance(Duration.ofMinutes(1));
    assertThat(reports(tick())).isEmpty();
  }

  private List<AllocatorAction> request(long number) {
    return apply(new AllocatorEvent.WorkerRequested(number, WorkerSpec.of(CONFIGURATION), 0));
  }

  private void answered() {
    apply(
        new AllocatorEvent.HeartbeatAnswered(List.of(), List.of(), List.of(), ContainerSize.NONE));
  }

  private List<AllocatorAction> tick() {
    return apply(new AllocatorEvent.Tick());
  }

  private List<AllocatorAction> apply(AllocatorEvent event) {
    return allocator.apply(event, now);
  }

  private void advance(Duration time) {
    now += time.toNanos();
  }

  private static List<String> reports(List<AllocatorAction> actions) {
    List<String> texts = new ArrayList<>();
    for (AllocatorAction action : actions) {
      if (action instanceof ReportPending report) {
        texts.add(report.reason().map(ReasonText::of).orElse(""));
      }
    }
    return texts;
  }
}
