package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.YarnClusterMetrics;
import org.apache.hadoop.yarn.client.api.impl.YarnClientImpl;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;
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
  void nodesOfALargeClusterAreCounted() {
    assertThat(new ClusterNodes(1_000, 0, 0, 0)).hasToString("the cluster has 1000 active nodes");
    assertThat(new ClusterNodes(990, 4, 3, 3))
        .hasToString("the cluster has 990 active nodes, 4 unhealthy, 3 lost, 3 decommissioned");
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

  @Test
  @Behaviour("D11: an application with a node label sees the usage of the nodes with that label")
  void usageIsThatOfTheNodesWithTheLabel() {
    NodeReport fast = node(1, 1000);
    fast.setNodeLabels(Set.of("fast"));
    List<NodeReport> nodes = List.of(fast, node(2, 0));

    assertThat(PartitionUsage.nodes(nodes, Optional.of("fast"))).containsExactly(fast);
    assertThat(PartitionUsage.nodes(nodes, Optional.empty())).containsExactly(nodes.get(1));
    assertThat(PartitionUsage.of("fast", List.of(fast)))
        .hasToString(
            "the one node with label 'fast' has 1000 mb and 1 vcore of 4096 mb and 8 vcores in"
                + " use");
    assertThat(PartitionUsage.of("slow", List.of()))
        .hasToString("no running node has label 'slow'");
  }

  @Test
  @Behaviour("D11: a question that YARN does not answer is named, and the others are asked")
  void questionWithoutAnAnswerIsNamed() {
    SilentQueue client = new SilentQueue();
    YarnStatusQuery query = query(client);
    assertThat(query.ask())
        .hasValueSatisfying(
            text ->
                assertThat(text)
                    .contains(
                        "the usage of queue 'root.default' is not known: YarnException: Queue is away")
                    .contains("of 2 nodes the one with most memory free has 4096 mb")
                    .contains(
                        "the usage of this application is not known: YarnException: no report"));
    client.answersNothing = true;
    assertThat(query.ask())
        .hasValueSatisfying(
            text -> assertThat(text).startsWith("YARN does not answer now; its last answer, of"));
    assertThat(query(client).ask())
        .hasValueSatisfying(
            text ->
                assertThat(text)
                    .isEqualTo(
                        "its queue is 'root.default'; YARN does not tell more: IOException:"
                            + " YarnException: Queue is away"));
    client.answersNothing = false;
    assertThat(query.ask())
        .hasValueSatisfying(text -> assertThat(text).startsWith("YARN's answer since"));
  }

  private static YarnStatusQuery query(SilentQueue client) {
    return new YarnStatusQuery(
        new ApplicationMasterContext(
            new YarnConfiguration(),
            "application_1_0001",
            UserGroupInformation.createRemoteUser("user"),
            Optional.empty(),
            new Credentials()),
        new YarnStatusQuery.Requests("root.default", Optional.empty()),
        () -> client,
        () -> NOON.toEpochMilli());
  }

  /** A client that knows the nodes at most. */
  private static final class SilentQueue extends YarnClientImpl {
    private boolean answersNothing;

    @Override
    public List<QueueInfo> getChildQueueInfos(String parent) throws YarnException {
      throw new YarnException("Queue is away");
    }

    @Override
    public ApplicationReport getApplicationReport(ApplicationId id) throws YarnException {
      throw new YarnException("no report");
    }

    @Override
    public YarnClusterMetrics getYarnClusterMetrics() throws YarnException {
      if (answersNothing) {
        throw new YarnException("no metrics");
      }
      return YarnClusterMetrics.newInstance(2);
    }

    @Override
    public List<NodeReport> getNodeReports(NodeState... states) {
      return List.of(node(1, 0), node(2, 1000));
    }
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
