package io.millrace.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeploymentTest {
  private static final ExecutionId FIRST = new ExecutionId(new Id128(0, 1));
  private static final ExecutionId SECOND = new ExecutionId(new Id128(0, 2));
  private static final Placement NOWHERE = new Placement(List.of(), Map.of());

  @Test
  void taskHasTheResourcesOfItsSlotOrNone() {
    SlotResources slot = new SlotResources(ManagedMemory.declared(1024), Map.of());
    Deployment deployment =
        new Deployment(graph(), 1, List.of(), NOWHERE, Map.of(FIRST, slot), Map.of());

    assertThat(deployment.slotOf(FIRST)).isSameAs(slot);
    assertThat(deployment.slotOf(SECOND)).isSameAs(SlotResources.NONE);
    assertThat(SlotResources.NONE.managed().bytes()).isZero();
  }

  @Test
  void slotsWithoutResourcesNeedNotBeNamed() {
    Deployment deployment = new Deployment(graph(), 1, List.of(), NOWHERE);

    assertThat(deployment.slots()).isEmpty();
    assertThat(deployment.slotOf(FIRST)).isSameAs(SlotResources.NONE);
  }

  @Test
  void externalResourcesOfASlotDoNotChange() {
    List<ExternalResourceInfo> devices = new ArrayList<>();
    devices.add(ExternalResourceInfo.ofIndex("0"));
    Map<String, List<ExternalResourceInfo>> external = new LinkedHashMap<>();
    external.put("gpu", devices);
    SlotResources slot = new SlotResources(ManagedMemory.NONE, external);

    devices.add(ExternalResourceInfo.ofIndex("1"));
    external.put("fpga", devices);

    assertThat(slot.external()).containsOnlyKeys("gpu");
    assertThat(slot.external().get("gpu")).containsExactly(ExternalResourceInfo.ofIndex("0"));
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> slot.external().get("gpu").clear());
  }

  private static JobGraph graph() {
    return new JobGraph(
        new JobId(new Id128(0, 3)),
        "job",
        JobType.STREAMING,
        List.of(),
        List.of(),
        List.of(),
        Configuration.EMPTY);
  }
}
