package io.millrace.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.resource.SlotSharingGroup;
import io.millrace.core.ResourceProfile;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("bound program context")
class DeclaredResourcesTest {
  private static final SlotSharingGroup GREEN =
      SlotSharingGroup.newBuilder("green").cpuCores(0.5).taskHeapMemoryMB(10).build();
  private static final SlotSharingGroup BLUE =
      SlotSharingGroup.newBuilder("blue")
          .cpuCores(1)
          .taskHeapMemoryMB(20)
          .managedMemoryMB(30)
          .externalResource("gpu", 2)
          .build();

  @Test
  void goWithTheGroupThroughBothGraphs() {
    JobGraph graph =
        Programs.jobGraph(
            env ->
                env.fromElements(1)
                    .slotSharingGroup(GREEN)
                    .map(n -> n)
                    .slotSharingGroup(BLUE)
                    .print());
    assertThat(graph.resources().keySet()).containsExactly("green", "blue");
    assertThat(graph.vertices())
        .extracting(graph::resourcesOf)
        .containsExactly(GREEN.resources(), BLUE.resources());
    assertThat(graph.withJars(graph.jars()).resources()).isEqualTo(graph.resources());
  }

  @Test
  void areSaidOnceForAllOperatorsOfTheGroup() {
    JobGraph graph =
        Programs.jobGraph(
            env ->
                env.fromElements(1)
                    .slotSharingGroup("green")
                    .rebalance()
                    .map(n -> n)
                    .slotSharingGroup(GREEN)
                    .print());
    assertThat(graph.vertices())
        .hasSize(2)
        .extracting(graph::resourcesOf)
        .containsOnly(GREEN.resources());
  }

  @Test
  void areNothingWhereNobodyDeclaresThem() {
    JobGraph graph = Programs.jobGraph(env -> env.fromElements(1).slotSharingGroup("a").print());
    assertThat(graph.resources()).isEmpty();
    assertThat(graph.resourcesOf(graph.vertices().get(0))).isEqualTo(ResourceProfile.UNSPECIFIED);
  }

  @Test
  void cannotBeTwoThingsForOneGroup() {
    SlotSharingGroup other =
        SlotSharingGroup.newBuilder("green").cpuCores(2).taskHeapMemoryMB(10).build();
    assertThatThrownBy(
            () ->
                Programs.jobGraph(
                    env ->
                        env.fromElements(1)
                            .slotSharingGroup(GREEN)
                            .print()
                            .slotSharingGroup(other)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining("'green'")
        .hasMessageContaining("0.5 cpu, 10 mb heap")
        .hasMessageContaining("2.0 cpu, 10 mb heap");
  }

  @Test
  void areShownInTheJsonOfBothGraphs() {
    StreamGraph graph =
        Graphs.streamGraph(
            Programs.program(
                env -> env.fromElements(1).slotSharingGroup(BLUE).print().slotSharingGroup(GREEN)));
    String blue =
        "\"resources\":{\"cpuCores\":1.0,\"taskHeapMemory\":20971520,\"taskOffHeapMemory\":0,"
            + "\"managedMemory\":31457280,\"extendedResources\":{\"gpu\":2}}";
    String green =
        "\"resources\":{\"cpuCores\":0.5,\"taskHeapMemory\":10485760,\"taskOffHeapMemory\":0,"
            + "\"managedMemory\":0,\"extendedResources\":{}}";
    assertThat(Graphs.json(graph)).containsSubsequence(blue, green);
    assertThat(Graphs.json(Graphs.jobGraph(graph, Programs.JOB)))
        .containsSubsequence("\"slot_sharing_group\":\"blue\"", blue, green);
  }
}
