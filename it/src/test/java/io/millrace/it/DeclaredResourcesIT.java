package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.DeclaringJob;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.core.testing.Behaviour;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs that declare the resources of their slots, on one TaskManager of two equal slots. */
class DeclaredResourcesIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  private static final String[] OPTIONS = {
    "--slots",
    "2",
    "-D",
    "taskmanager.cpu.cores=2",
    "-D",
    "taskmanager.memory.task.heap.size=256m",
    "-D",
    "taskmanager.memory.managed.size=64m",
    "-D",
    "resourcemanager.standalone.start-up-time=1s"
  };

  @Test
  @Behaviour(
      "D7: slots of declared profiles are carved from the total of a worker, which is never"
          + " exceeded")
  void slotsOfDeclaredSizesAreCarvedFromTheTaskManager() throws Exception {
    Path jar = ProgramJar.of(SHELL.directory(), DeclaringJob.class);
    try (Cluster cluster = SHELL.startCluster(OPTIONS)) {
      cluster.run(jar.toString(), "64", "all", "1000").succeeded();

      String endless = cluster.submit(jar.toString(), "64", "all", "1000000000000");
      Wait.untilTrue("its slots are taken", () -> worker(cluster).path("freeSlots").asInt() == 0);
      JsonNode busy = worker(cluster);
      assertThat(busy.path("slotsNumber").asInt()).isEqualTo(2);
      assertThat(busy.path("totalResource").path("cpuCores").asDouble()).isEqualTo(2);
      assertThat(busy.path("freeResource").path("cpuCores").asDouble()).isZero();
      assertThat(busy.path("freeResource").path("taskHeapMemory").asInt()).isEqualTo(256 - 144);
      List<Double> sizes = new ArrayList<>();
      cluster
          .rest()
          .get("/taskmanagers/" + busy.path("id").asText())
          .path("allocatedSlots")
          .forEach(slot -> sizes.add(slot.path("resource").path("cpuCores").asDouble()));
      assertThat(sizes).containsExactlyInAnyOrder(0.5, 0.75, 0.75);

      cluster.millrace("cancel", endless).succeeded();
      Wait.untilTrue("its slots are free", () -> worker(cluster).path("freeSlots").asInt() == 2);
      assertThat(worker(cluster).path("freeResource").path("taskHeapMemory").asInt())
          .isEqualTo(256);
    }
  }

  @Test
  @Behaviour("C2: a job in which only some vertices declare resources is rejected")
  void unfulfillableResourcesFailWithTheNumbersAndPartialDeclarationIsRejected() throws Exception {
    Path jar = ProgramJar.of(SHELL.directory(), DeclaringJob.class);
    try (Cluster cluster = SHELL.startCluster(OPTIONS)) {
      String tooLarge = cluster.run(jar.toString(), "4000", "all", "10").refusedInOneLine();
      assertThat(tooLarge)
          .contains("needs 2 slots of 0.75 cpu, 3.91 gb heap")
          .contains("the largest has 2.0 cpu, 256 mb heap");

      String partly = cluster.run(jar.toString(), "64", "partly", "10").refusedInOneLine();
      assertThat(partly)
          .contains("declares resources for 'Source: generator' (group reading)")
          .contains("but not for 'Sink: mill' (group milling)")
          .contains("Declare them for all slot sharing groups or for none");
      assertThat(cluster.rest().get("/jobs").path("jobs")).hasSize(1);
    }
  }

  private static JsonNode worker(Cluster cluster) {
    return cluster.rest().get("/taskmanagers").path("taskmanagers").path(0);
  }
}
