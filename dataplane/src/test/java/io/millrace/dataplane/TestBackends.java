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
 * with each of them. With {@value #ALTERNATE} each run of a job has another one than the run
 * before, so that state is restored from one into the other.
 */
final class TestBackends {
  static final String PROPERTY = "millrace.test.state.backend";
  static final String ALTERNATE = "alternate";

  /** RocksDB with incremental checkpoints. */
  static final String INCREMENTAL = "incremental";

  private static final String CHOSEN = System.getProperty(PROPERTY, StateBackendOptions.HASHMAP);
  private static final AtomicInteger RUNS = new AtomicInteger();

  private TestBackends() {}

  static JobGraph of(JobGraph graph) {
    if (graph.configuration().contains(StateBackendOptions.TYPE)) {
      return graph;
    }
    boolean incremental = CHOSEN.equals(INCREMENTAL);
    String backend =
        incremental
            ? "rocksdb"
            : !CHOSEN.equals(ALTERNATE)
                ? CHOSEN
                : RUNS.getAndIncrement() % 2 == 0 ? StateBackendOptions.HASHMAP : "rocksdb";
    return graph.withConfiguration(
        graph
            .configuration()
            .with(StateBackendOptions.TYPE, backend)
            .with(CheckpointingOptions.INCREMENTAL, incremental));
  }

  /** With enough managed memory for a store. */
  static SlotResources slot() {
    return new SlotResources(ManagedMemory.declared(32 << 20), Map.of());
  }
}
