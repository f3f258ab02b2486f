package io.millrace.it;

import io.millrace.api.execution.ProgramContext;
import io.millrace.cluster.PerJobProcess;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.JobId;
import io.millrace.graph.Graphs;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.Messages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * {@code GRAPH JAR KEY=VALUE…}: a JobManager of a cluster for one job, as a container of YARN runs
 * it.
 */
final class PerJobMain {
  private PerJobMain() {}

  public static void main(String[] args) {
    Map<String, String> entries = new TreeMap<>();
    for (String pair : List.of(args).subList(2, args.length)) {
      int equals = pair.indexOf('=');
      entries.put(pair.substring(0, equals), pair.substring(equals + 1));
    }
    System.exit(
        PerJobProcess.run(
            new Configuration(entries),
            new PerJobProcess.StagedJob(
                Path.of(args[0]), List.of(Path.of(args[1])), Duration.ZERO, Optional.empty())));
  }

  /** Writes the graph of a program that executes one job, as its client would stage it. */
  static Path stage(Path directory, Configuration configuration, Runnable program)
      throws Exception {
    List<JobGraph> graphs = new ArrayList<>();
    new ProgramContext(
            job -> {
              graphs.add(Graphs.jobGraph(job, JobId.random(ThreadLocalRandom.current())));
              throw new StagedException();
            },
            configuration)
        .during(
            () -> {
              try {
                program.run();
              } catch (StagedException staged) {
                return graphs;
              }
              throw new IOException("The program executed no job");
            });
    return Files.write(directory.resolve("job.graph"), Messages.graphCodec().encode(graphs.get(0)));
  }

  /** Ends the program after its first job. */
  private static final class StagedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
