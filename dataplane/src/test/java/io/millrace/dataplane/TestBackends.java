package io.millrace.dataplane;

import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.StateBackendOptions;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.graph.JobGraph;
import io.millrace.task.SlotResources;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The state backend of jobs that tests run: that of the system property, so that the same tests run
 * with each of them. The build runs tests of state a second time with {@value #ROCKSDB}.
 */
final class TestBackends {
  static final String PROPERTY = "millrace.test.state.backend";

  /** Every other run of a job takes incremental checkpoints. */
  static final String ROCKSDB = "rocksdb";

  /**
   * Each run of a job has another backend than the run before, so that state is restored from one
   * into the other.
   */
  static final String ALTERNATE = "alternate";

  private static final String CHOSEN = System.getProperty(PROPERTY, StateBackendOptions.HASHMAP);
  private static final AtomicInteger RUNS = new AtomicInteger();

  private TestBackends() {}

  static JobGraph of(JobGraph graph) {
    if (graph.configuration().contains(StateBackendOptions.TYPE)) {
      return graph;
    }
    boolean even = RUNS.getAndIncrement() % 2 == 0;
    String backend =
        CHOSEN.equals(ALTERNATE) ? even ? StateBackendOptions.HASHMAP : ROCKSDB : CHOSEN;
    return graph.withConfiguration(
        graph
            .configuration()
            .with(StateBackendOptions.TYPE, backend)
            .with(CheckpointingOptions.INCREMENTAL, even && CHOSEN.equals(ROCKSDB)));
  }

  /** The number of seeds of a test that takes long: fewer in a second run of the same tests. */
  static int seeds(int most) {
    return CHOSEN.equals(StateBackendOptions.HASHMAP) ? most : most / 3;
  }

  /** With enough managed memory for a store. */
  static SlotResources slot() {
    return new SlotResources(ManagedMemory.declared(32 << 20), Map.of());
  }
}
