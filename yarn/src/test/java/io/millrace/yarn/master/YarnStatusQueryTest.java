package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.Resource;
import org.junit.jupiter.api.Test;

/** The texts about the status of YARN. */
class YarnStatusQueryTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final ContainerSize NOTHING = ContainerSize.NONE;

  @Test
  @Behaviour(
      "D11: while containers are pending, the reason shows the queue, its usage, the free and"
          + " reserved room and the age of YARN's answer")
  void answerHasItsAge() {
    YarnStatusQuery.Answer answer = new YarnStatusQuery.Answer("full", NOON, NOON.plusSeconds(90));

    assertThat(answer.sentence(true)).isEqualTo("YARN's answer since 12:00:00 UTC: full");
    assertThat(answer.sentence(false))
        .isEqualTo("YARN does not answer now; its last answer, of 12:01:30 UTC: full");
  }

  @Test
  void reportsOfRequestsThatArePendingForLongAreRarer() {
    assertThat(PendingContainerReport.interval(Duration.ofSeconds(5)))
        .isEqualTo(Duration.ofSeconds(10));
    assertThat(PendingContainerReport.interval(Duration.ofHours(1)))
        .isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void diagnosticsAboutTheContainerOfTheMasterAreOmitted() {
    assertThat(
            ApplicationUsage.current(
                "[Mon Nov 16 15:04:18 +0000 2026] Scheduler has assigned a container for AM,"
                    + " waiting for AM container to be launched"))
        .isEmpty();
    assertThat(ApplicationUsage.current("[Mon Nov 16 15:04:18 +0000 2026] Queue  is\nfull. "))
        .isEqualTo("Queue is full.");
    assertThat(ApplicationUsage.current(null)).isEmpty();
  }

  @Test
  void usageOfAQueueIsInPercent() {
    assertThat(new QueueUsage("root.small", 2048, 3, 1.204, 0.5, 1))
        .hasToString(
            "queue 'root.small' has 2048 mb and 3 vcores in use, 120 % of its capacity, may have"
                + " 50 % of what its parent has, and its applications wait for 1 container in all");
    assertThat(new QueueUsage("q", 0, 0, 0, 1, 7).toString()).endsWith("7 containers in all");
  }

  @Test
  void pendingContainersAreCountedBySize() {
    Map<ContainerSize, Integer> sizes = new java.util.LinkedHashMap<>();
    sizes.put(new ContainerSize(1000, 1, Map.of()), 2);
    sizes.put(new ContainerSize(4000, 2, Map.of("yarn.io/gpu", 1L)), 1);
    assertThat(
            new PendingContainerReport.PendingContainers(
                    sizes, NOON, new ContainerSize(8000, 8, Map.of()), NOTHING)
                .sentence("the queue is full"))
        .isEqualTo(
            "YARN was asked for 2 containers of 1000 mb and 1 vcore, 1 container of 4000 mb and 2"
                + " vcores and 1 yarn.io/gpu and has not given them since 12:00:00 UTC; the queue is"
                + " full; left for this application now: 0 mb and 0 vcores; the largest container"
                + " that can be asked for: 8000 mb and 8 vcores.");
  }

  @Test
  void usageNamesReservedResources() {
    assertThat(new ApplicationUsage(1, 0, NOTHING, ""))
        .hasToString("this application has 1 container");
    assertThat(new ApplicationUsage(3, 1, new ContainerSize(2048, 1, Map.of()), "Wait."))
        .hasToString(
            "this application has 3 containers, and room is kept for 1 more (2048 mb and 1 vcore"
                + " so far); YARN says: Wait.");
  }

  @Test
  void largestFreeNodeHasTheMostFreeMemory() {
    List<NodeReport> nodes = List.of(node(1, 1000), node(2, 3000), node(3, 4096));

    assertThat(LargestFreeNode.of(nodes))
        .get()
        .hasToString("of 3 nodes the one with most memory free has 3096 mb and 7 vcores");
    assertThat(LargestFreeNode.of(nodes.subList(2, 3)))
        .get()
        .hasToString("the one node has 0 mb and 7 vcores free");
    assertThat(LargestFreeNode.of(List.of())).isEmpty();
  }

  private static NodeReport node(int port, int used) {
    return NodeReport.newInstance(
        NodeId.newInstance("n", port),
        NodeState.RUNNING,
        "n:80",
        "/rack",
        Resource.newInstance(used, 1),
        Resource.newInstance(4096, 8),
        1,
        "",
        0);
  }
}
