package io.millrace.yarn.master;

import static io.millrace.yarn.master.YarnDriverHarness.SMALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.WorkerReason.WorkerNotNeeded;
import io.millrace.yarn.CompetingApplication;
import io.millrace.yarn.MiniHadoop;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.ContainerLaunch;
import io.millrace.yarn.master.RecordedWorkerEvents.Recorded;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** On real daemons: many requests, and nodes that go or on which workers fail. */
@Tag("slow")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class YarnDriverRemovalsTest {
  private static final WorkerSpec SPEC = WorkerSpec.of(SMALL);

  @RegisterExtension private final YarnDriverHarness harness = new YarnDriverHarness("default");

  @Test
  @Behaviour("D9: containers of one size are one request with a count for YARN")
  void thousandsOfRequestsAreAFewForTheScheduler() throws Exception {
    int workers = 2_990;
    YarnDriver driver = harness.driver(SMALL);
    harness.start(driver);
    for (long request = 1; request <= workers; request++) {
      driver.request(request, SPEC);
    }
    int room = MiniHadoop.NODES * (MiniHadoop.MAXIMUM_MB / 1024);
    for (int i = 0; i < room; i++) {
      harness.events().next("started");
    }
    List<ResourceRequest> asked = harness.hadoop().requests(harness.application().id());
    assertThat(asked).hasSizeLessThanOrEqualTo(3);
    // The scheduler may have reserved containers, which it still counts.
    assertThat(asked.stream().mapToInt(ResourceRequest::getNumContainers).sum())
        .isBetween(workers - room, workers);
    for (long request = 1; request <= workers; request++) {
      driver.cancel(request);
    }
    CompetingApplication.await(
        () -> harness.hadoop().requests(harness.application().id()).isEmpty());
    YarnDriverHarness.end(driver);
    assertThat(harness.events().remaining()).isEmpty();
  }

  @Test
  @Behaviour("D9: workers on a node that YARN decommissions are drained")
  void workerOnADecommissionedNodeDrains() throws Exception {
    YarnDriver driver = harness.driver(SMALL);
    harness.start(driver);
    driver.request(1, SPEC);
    Recorded worker = harness.events().next("started");
    harness.process(worker.worker());
    NodeId node = harness.node(worker.worker());
    harness.hadoop().decommission(node, 600);
    try {
      Recorded draining = harness.events().next("draining");
      assertThat(draining.worker()).isEqualTo(worker.worker());
      assertThat(draining.reason()).contains("YARN decommissions its node " + node);
      // The next attempt is not told again by itself.
      driver.stop(new DriverTermination.Suspended()).get(60, TimeUnit.SECONDS);
      driver = harness.driver(SMALL);
      harness.start(driver);
      assertThat(harness.events().next("draining")).isEqualTo(draining);
      driver.release(new WorkerId(worker.worker()), new WorkerNotNeeded());
      harness.events().next("ended");
    } finally {
      harness.hadoop().recommission(node);
    }
    YarnDriverHarness.end(driver);
  }

  @Test
  @Behaviour("D10: a node on which workers fail repeatedly is blocked for some time")
  void nodeOnWhichWorkersFailIsExcluded() throws Exception {
    Configuration configuration = SMALL.with(YarnOptions.NODE_EXCLUSION_FAILURES, 2);
    YarnDriver driver =
        harness.driver(
            configuration,
            (worker, spec, host) -> new ContainerLaunch(List.of(), Map.of(), List.of("exit", "7")));
    harness.start(driver);
    Map<String, Integer> failures = new HashMap<>();
    long request = 0;
    while (failures.values().stream().noneMatch(count -> count == 2)) {
      driver.request(++request, SPEC);
      String worker = harness.events().next("started").worker();
      NodeId node = harness.node(worker);
      if (failures.merge(node.toString(), 1, Integer::sum) == 2) {
        List<Recorded> ended = harness.events().next(List.of("unreliable", "ended"));
        assertThat(ended.get(0).worker()).isEqualTo(node.toString());
        assertThat(ended.get(0).reason())
            .isEqualTo("2 workers failed on it within 10 min (yarn.node-exclusion.failures).");
      } else {
        harness.events().next("ended");
      }
    }
    YarnDriverHarness.end(driver);
  }
}
