package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.Id128;
import io.millrace.protocol.WorkerInfo;
import io.millrace.protocol.WorkerInfo.SlotInUse;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WorkerViewsTest {
  @Test
  void showsFreeResourcesAndThoseOfEachSlot() {
    WorkerInfo sample = SampleJobs.worker();
    ResourceProfile left = new ResourceProfile(0.5, 91 << 20, 0, 1 << 20, 0, Map.of("gpu", 2L));
    ResourceProfile allocated = new ResourceProfile(1.5, 100 << 20, 0, 0, 0, Map.of("gpu", 1L));
    WorkerInfo worker =
        new WorkerInfo(
            sample.worker(),
            sample.address(),
            sample.dataAddress(),
            sample.registeredAt(),
            sample.lastHeartbeatAt(),
            sample.hardware(),
            left.plus(allocated),
            left,
            2,
            0,
            List.of(
                new SlotInUse(SampleJobs.RUNNING, new AllocationId(new Id128(0, 1)), allocated)),
            sample.metrics());
    JsonObject json = WorkerViews.details(worker, List.of());
    assertThat(json.getJsonObject("freeResource"))
        .isEqualTo(
            new JsonObject(
                """
                {"cpuCores": 0.5, "taskHeapMemory": 91, "taskOffHeapMemory": 0,
                 "managedMemory": 1, "networkMemory": 0, "extendedResources": {"gpu": 2.0}}"""));
    assertThat(json.getJsonObject("totalResource").getDouble("cpuCores")).isEqualTo(2);
    assertThat(json.getJsonArray("allocatedSlots").getJsonObject(0).getJsonObject("resource"))
        .isEqualTo(
            new JsonObject(
                """
                {"cpuCores": 1.5, "taskHeapMemory": 100, "taskOffHeapMemory": 0,
                 "managedMemory": 0, "networkMemory": 0, "extendedResources": {"gpu": 1.0}}"""));
  }

  @Test
  void countsNetworkBuffers() {
    JsonObject metrics =
        WorkerViews.details(SampleJobs.worker(), List.of()).getJsonObject("metrics");
    assertThat(metrics.getInteger("nettyShuffleMemorySegmentsTotal")).isEqualTo(10);
    assertThat(metrics.getInteger("nettyShuffleMemorySegmentsAvailable")).isEqualTo(4);
    assertThat(metrics.getInteger("nettyShuffleMemorySegmentsUsed")).isEqualTo(6);
    assertThat(metrics.getLong("nettyShuffleMemoryUsed")).isEqualTo(600);
    assertThat(metrics.getLong("nettyShuffleMemoryTotal")).isEqualTo(1000);
  }
}
