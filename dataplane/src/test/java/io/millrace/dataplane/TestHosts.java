package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.StreamEnvironment;
import io.millrace.core.Bytes;
import io.millrace.dataplane.wire.DataPort;
import io.millrace.dataplane.wire.NetworkMemory;
import io.millrace.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** Hosts with small network buffers, which run programs with random settings. */
final class TestHosts implements AutoCloseable {
  private final List<DataPlane> hosts = new ArrayList<>();

  TestHosts(int count) {
    for (int i = 0; i < count; i++) {
      hosts.add(
          new DataPlane(
              DataPlaneSettings.listening(
                  2, DataPort.loopback(0, Bytes.utf8("hosts"), new NetworkMemory(4 << 20, 1024)))));
    }
  }

  /** Runs a program to its end, with a random parallelism on random hosts. */
  TestRun run(long seed, Random random, Consumer<StreamEnvironment> program) {
    int count = 1 + random.nextInt(hosts.size());
    DataPlane[] chosen = hosts.subList(0, count).toArray(new DataPlane[0]);
    int[] placement = random.ints(5, 0, count).toArray();
    TestRun run =
        TestRun.of(
            ProgramGraphs.graph(
                env -> {
                  env.configure(
                      "pipeline.auto-watermark-interval", random.nextBoolean() ? "1 ms" : "50 ms");
                  env.parallelism(1 + random.nextInt(4));
                  program.accept(env);
                }),
            chosen);
    try {
      run.deploy(seed, subtask -> placement[subtask]).awaitEnd();
    } catch (AssertionError e) {
      throw new AssertionError("Seed " + seed, e);
    }
    assertThat(run.failures()).as("seed %s", seed).isEmpty();
    assertThat(run.violations()).as("seed %s", seed).isEmpty();
    assertThat(run.count(TaskState.FINISHED)).isEqualTo(run.states().size());
    return run;
  }

  @Override
  public void close() {
    hosts.forEach(DataPlane::close);
  }
}
