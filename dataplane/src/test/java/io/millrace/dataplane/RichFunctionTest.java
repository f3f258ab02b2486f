package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.function.FilterFunction;
import io.millrace.api.function.MapFunction;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.task.SlotResources;
import io.millrace.task.TaskState;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Functions that are opened and closed, and what they see of their slot. */
class RichFunctionTest {
  private final DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2));
  private final Events events = new Events(new CopyOnWriteArrayList<>());
  private final String eventsName = Fixtures.share(events);

  @AfterEach
  void close() {
    host.close();
  }

  private record Events(List<String> all) {}

  private abstract static class Telling implements RichFunction {
    private static final long serialVersionUID = 1L;
    private final String events;

    Telling(String events) {
      this.events = events;
    }

    final void tell(String event) {
      Fixtures.shared(events, Events.class).all().add(event);
    }

    @Override
    public void close() {
      tell("close");
    }
  }

  private static final class Indexed extends Telling implements MapFunction<Object, Object> {
    private static final long serialVersionUID = 1L;
    private String where = "nowhere";

    Indexed(String events) {
      super(events);
    }

    @Override
    public void open(RuntimeContext context) {
      where =
          "%s %d/%d %s"
              .formatted(
                  context.name(),
                  context.subtask(),
                  context.parallelism(),
                  context.externalResourceInfos("gpu").stream()
                      .map(info -> info.property("index").orElseThrow())
                      .toList());
      tell("open " + context.attempt());
    }

    @Override
    public Object map(Object record) {
      return where;
    }
  }

  private static final class Broken extends Telling implements FilterFunction<Object> {
    private static final long serialVersionUID = 1L;

    Broken(String events) {
      super(events);
    }

    @Override
    public void open(RuntimeContext context) throws IOException {
      throw new IOException("no such device");
    }

    @Override
    public boolean keep(Object record) {
      return true;
    }
  }

  private static JobGraph graph(OperatorSpec operator) {
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 2, Fixtures.numbers(2));
    JobVertex work = program.vertex("work", 2, operator, Fixtures.collect());
    program.edge(source, work, Partitioning.FORWARD);
    return program.build();
  }

  @Test
  @Behaviour("H1: rich functions see their subtask and the resources of their slot")
  void functionsSeeTheirPlaceAndTheResourcesOfTheirSlot() {
    ManagedMemory managed = ManagedMemory.declared(100);
    SlotResources slot =
        new SlotResources(managed, Map.of("gpu", List.of(ExternalResourceInfo.ofIndex("5"))));

    TestRun run =
        TestRun.of(graph(new OperatorSpec.Map(new Indexed(eventsName))), host)
            .inSlots(spec -> spec.subtask() == 1 ? slot : SlotResources.NONE)
            .deploy(1, subtask -> 0)
            .awaitEnd();

    assertThat(run.failures()).isEmpty();
    assertThat(run.collected()).containsExactlyInAnyOrder("work-Map 0/2 []", "work-Map 1/2 [5]");
    assertThat(events.all()).containsExactlyInAnyOrder("open 0", "open 0", "close", "close");
    assertThat(managed.free()).isEqualTo(100);
  }

  @Test
  void aFunctionThatCannotBeOpenedFailsItsTaskAndIsClosed() {
    TestRun run = TestRun.start(graph(new OperatorSpec.Filter(new Broken(eventsName))), host);
    run.await("failures", () -> run.count(TaskState.FAILED) == 2);

    assertThat(run.failures())
        .allSatisfy(failure -> assertThat(failure.message()).contains("no such device"));
    run.cancel();
    run.awaitEnd();
    assertThat(events.all()).containsExactly("close", "close");
  }
}
