package io.millrace.soak;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The job of the run, which is stopped and resumed under changing ids. */
final class SoakJob {
  private static final Pattern SAVEPOINT = Pattern.compile("Savepoint completed\\. Path: (.*)");

  static final int MOST_PARALLELISM = 3;

  private final SoakCluster cluster;
  private final JobMonitor monitor;
  private final ProgramRun program;
  private final Path savepoints;
  private Optional<String> savepoint = Optional.empty();

  /**
   * @param savepoints an existing directory
   */
  SoakJob(SoakCluster cluster, JobMonitor monitor, ProgramRun program, Path savepoints) {
    this.cluster = cluster;
    this.monitor = monitor;
    this.program = program;
    this.savepoints = savepoints;
  }

  /** Starts the job from the savepoint of its last stop, if there was one. */
  void submit(int parallelism, int rate) throws IOException, InterruptedException {
    SoakCluster.CommandResult submitted =
        cluster.run(program.line(parallelism, rate, savepoint)).succeeded();
    monitor.follow(
        ProgramRun.jobId(submitted)
            .orElseThrow(() -> new SoakException("No job id: " + submitted)));
  }

  SoakCluster.RunningCommand startStop() throws IOException {
    return cluster.start("stop", monitor.job(), "-p", savepoints.toString());
  }

  /** The job has ended with the command: takes the savepoint from which it will be resumed. */
  void stopped(SoakCluster.CommandResult stop) throws IOException, InterruptedException {
    Matcher path = SAVEPOINT.matcher(stop.output());
    String taken;
    if (path.find()) {
      taken = path.group(1).strip();
    } else {
      // The command failed, but the job has stopped.
      taken =
          cluster
              .get("/jobs/" + monitor.job() + "/checkpoints")
              .map(answer -> answer.path("latest").path("savepoint").path("external_path"))
              .filter(JsonNode::isTextual)
              .map(JsonNode::asText)
              .orElseThrow(
                  () -> new SoakException("The job finished without a savepoint: " + stop));
    }
    if (savepoint.isPresent()) {
      cluster.run("savepoint", "dispose", savepoint.get()).succeeded();
    }
    savepoint = Optional.of(taken);
  }
}
