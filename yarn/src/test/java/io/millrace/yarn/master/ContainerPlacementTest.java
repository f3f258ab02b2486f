package io.millrace.yarn.master;

import static io.millrace.yarn.master.YarnDriverHarness.LARGE;
import static io.millrace.yarn.master.YarnDriverHarness.SMALL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExternalResourceOptions;
import io.millrace.core.testing.Behaviour;
import io.millrace.yarn.CompetingApplication;
import io.millrace.yarn.MiniHadoop;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.master.RecordedWorkerEvents.Recorded;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes, labels and external resources of containers. */
@Tag("slow")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ContainerPlacementTest {
  private static final Configuration WIDGETS =
      SMALL
          .with(ExternalResourceOptions.EXTERNAL_RESOURCE_LIST, "widget")
          .with(
              ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named("widget"), MiniHadoop.WIDGETS)
          .with(YarnOptions.EXTERNAL_RESOURCE_KEY.named("widget"), MiniHadoop.WIDGET);

  @RegisterExtension private final YarnDriverHarness harness = new YarnDriverHarness("default");

  @Test
  @Behaviour("D10: YARN allocates no container on a blocked node")
  void blockedNodeGetsNoWorkerUntilItIsUnblocked() throws Exception {
    NodeId blocked = harness.hadoop().nodeId(1);
    YarnDriver driver = harness.driver(LARGE);
    harness.start(driver);
    driver.blocked(List.of(blocked.toString(), "elsewhere.example.com"));
    List<NodeId> nodes = new ArrayList<>();
    for (int i = 1; i <= MiniHadoop.NODES; i++) {
      driver.request(i, WorkerSpec.of(LARGE));
    }
    for (int i = 1; i < MiniHadoop.NODES; i++) {
      nodes.add(harness.node(harness.events().next("started").worker()));
    }
    assertThat(nodes).doesNotHaveDuplicates().doesNotContain(blocked);
    // YARN has allocated all it can: the last container is pending for long by now.
    assertThat(harness.events().next("waits").reason()).contains("1 container of 4096 mb");
    assertThat(harness.application().containers()).isEqualTo(MiniHadoop.NODES - 1);

    driver.blocked(List.of());
    assertThat(harness.node(harness.events().next("started").worker())).isEqualTo(blocked);
    YarnDriverHarness.end(driver);
  }

  @ParameterizedTest
  @ValueSource(strings = {"yarn.application.node-label", "yarn.taskmanager.node-label"})
  @Behaviour(
      "D9: workers run on nodes with their label, and an unknown label fails the request with"
          + " YARN's diagnostics")
  void workersAreOnNodesWithTheirLabel(String option) throws Exception {
    NodeId labelled = harness.hadoop().nodeId(2);
    harness.hadoop().label(labelled, true);
    try {
      YarnDriver driver =
          harness.driver(
              option.equals(YarnOptions.NODE_LABEL.key())
                  ? SMALL.with(YarnOptions.NODE_LABEL, MiniHadoop.LABEL)
                  : SMALL.with(YarnOptions.TASK_MANAGER_NODE_LABEL, MiniHadoop.LABEL));
      harness.start(driver);
      for (int i = 1; i <= 2; i++) {
        driver.request(i, WorkerSpec.of(SMALL));
      }
      for (int i = 1; i <= 2; i++) {
        assertThat(harness.node(harness.events().next("started").worker())).isEqualTo(labelled);
      }
      YarnDriverHarness.end(driver);
    } finally {
      harness.hadoop().label(labelled, false);
    }
  }

  @Test
  @Behaviour(
      "D9: workers run on nodes with their label, and an unknown label fails the request with"
          + " YARN's diagnostics")
  void unknownLabelFailsTheRequestWithTheReasonOfYarn() throws Exception {
    YarnDriver driver = harness.driver(SMALL.with(YarnOptions.TASK_MANAGER_NODE_LABEL, "slow"));
    harness.start(driver);
    driver.request(1, WorkerSpec.of(SMALL));
    Recorded failed = harness.events().next("failed");
    assertThat(failed.request()).isEqualTo(1);
    assertThat(failed.reason()).contains("YARN refuses the container", "slow");
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour(
      "D9: containers have the external resources of their workers; a larger demand is refused"
          + " with both numbers")
  void containerHasTheExternalResourcesOfItsWorker() throws Exception {
    YarnDriver driver = harness.driver(WIDGETS);
    harness.start(driver);
    WorkerSpec spec = WorkerSpec.of(WIDGETS);
    int requests = MiniHadoop.NODES + 1;
    for (int i = 1; i <= requests; i++) {
      driver.request(i, spec);
    }
    List<NodeId> nodes = new ArrayList<>();
    for (int i = 1; i < requests; i++) {
      Recorded worker = harness.events().next("started");
      assertThat(
              harness
                  .container(worker.worker())
                  .getAllocatedResource()
                  .getResourceValue(MiniHadoop.WIDGET))
          .isEqualTo(MiniHadoop.WIDGETS);
      nodes.add(harness.node(worker.worker()));
    }
    // A node has memory for many of them, and widgets for one.
    assertThat(nodes).doesNotHaveDuplicates();
    assertThat(harness.events().next("waits").reason())
        .contains("1 container of 1000 mb and 2 vcores and 2 " + MiniHadoop.WIDGET);
    CompetingApplication.await(() -> harness.application().containers() == requests - 1);
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour(
      "D9: containers have the external resources of their workers; a larger demand is refused"
          + " with both numbers")
  void moreExternalResourcesThanAContainerCanHaveAreRefused() {
    Configuration many =
        WIDGETS.with(
            ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named("widget"),
            MiniHadoop.WIDGETS + 1);
    assertThatThrownBy(() -> harness.start(harness.driver(many)))
        .hasMessageContaining("3 " + MiniHadoop.WIDGET)
        .hasMessageContaining("and 2 " + MiniHadoop.WIDGET)
        .hasMessageContaining("external-resource.widget.amount");
  }
}
