package io.millrace.bench.works;

import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.StateLoad;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs W8 and W9, whose state has a given size, with the same memory for each engine. */
final class StateLoads {
  private static final int VALUE_BYTES = 1_000;
  private static final int PACED = 5_000;

  private StateLoads() {}

  /** W8. A heap backend needs several times the state: old and new values, and what is read. */
  static Map<String, Double> kill(String backend, String contestant, Engines engines)
      throws IOException, InterruptedException {
    int state = engines.stateMegabytes(1_000);
    boolean heap = backend.equals("hashmap");
    Memory memory = new Memory(1_500 + (heap ? 4 : 2) * state, heap ? 16 : Math.max(64, state / 2));
    return run("kill", backend, state, PACED, memory, contestant, engines);
  }

  /** W9, with a tenth of the state as managed memory. */
  static Map<String, Double> updates(String contestant, Engines engines)
      throws IOException, InterruptedException {
    int state = engines.stateMegabytes(10_000);
    int managed = Math.max(64, state / 10);
    return run(
        "updates", "rocksdb", state, 0, new Memory(1_700 + managed, managed), contestant, engines);
  }

  private record Memory(int process, int managed) {}

  private static Map<String, Double> run(
      String work,
      String backend,
      int stateMegabytes,
      int perSecond,
      Memory memory,
      String contestant,
      Engines engines)
      throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("millrace-bench-state");
    StateLoad load =
        new StateLoad(
            directory.toString(),
            stateMegabytes * 1_000_000L / VALUE_BYTES,
            VALUE_BYTES,
            perSecond);
    try {
      if (contestant.equals("flink")) {
        List<String> arguments = new ArrayList<>(List.of(work));
        arguments.add(String.valueOf(engines.warmUpSeconds()));
        arguments.add(String.valueOf(engines.measureSeconds()));
        arguments.add(String.valueOf(memory.process()));
        arguments.add(String.valueOf(memory.managed()));
        arguments.add(backend);
        arguments.addAll(List.of(load.arguments()));
        return engines
            .flink(
                List.of(),
                "io.millrace.bench.peers.flink.StateLoadCluster",
                arguments.toArray(String[]::new))
            .numbers();
      }
      JsonLine json = new JsonLine("millrace", work, backend);
      try (OwnCluster cluster =
          new OwnCluster(
              engines,
              2,
              1,
              "-D",
              "taskmanager.memory.process.size=" + memory.process() + "m",
              "-D",
              "taskmanager.memory.managed.size=" + memory.managed() + "m")) {
        var stateLoad = cluster.startStateLoad(load, backend);
        if (work.equals("kill")) {
          stateLoad.killAndCatchUp(json);
        } else {
          stateLoad.measureUpdates(engines.warmUpSeconds(), engines.measureSeconds(), json);
        }
      }
      return json.numbers();
    } finally {
      SteadyStateWorks.delete(directory);
    }
  }
}
