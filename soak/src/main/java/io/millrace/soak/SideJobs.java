package io.millrace.soak;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Small jobs that are submitted while a fault lasts. One whose submission was acknowledged must run
 * to its end, exactly once. One whose submission failed may run or not, but not in part.
 */
final class SideJobs {
  private static final SoakWorkload WORKLOAD = new SoakWorkload(1_000, 10);
  private static final int RATE = 300;
  private static final Duration BOUND = Duration.ofMinutes(5);

  private final SoakCluster cluster;
  private final Path directory;
  private final Path checkpoints;
  private final Map<String, String> options;
  private final List<ProgramRun> programs = new ArrayList<>();
  private final TreeSet<String> acknowledged = new TreeSet<>();
  private Optional<SoakCluster.RunningCommand> submission = Optional.empty();
  private int refused;

  SideJobs(SoakCluster cluster, Path directory, Path checkpoints, Map<String, String> options) {
    this.cluster = cluster;
    this.directory = directory;
    this.checkpoints = checkpoints;
    this.options = options;
  }

  /** Begins to submit a job. */
  void start() throws IOException {
    ProgramRun program =
        new ProgramRun(
            directory.resolve("side-job-" + (programs.size() + 1)), WORKLOAD, checkpoints, options);
    programs.add(program);
    submission = Optional.of(cluster.start(program.line(1, RATE, Optional.empty())));
  }

  /** Waits for the answer to the submission, if there was one, and for the end of the job. */
  void await() throws IOException, InterruptedException {
    if (submission.isEmpty()) {
      return;
    }
    SoakCluster.CommandResult result = submission.get().await();
    submission = Optional.empty();
    if (result.code() != 0) {
      refused++;
      return;
    }
    String id =
        ProgramRun.jobId(result).orElseThrow(() -> new SoakException("No job id: " + result));
    acknowledged.add(id);
    String state = "";
    long end = System.nanoTime() + BOUND.toNanos();
    while (System.nanoTime() < end) {
      state =
          cluster.get("/jobs/" + id).map(answer -> answer.path("state").asText()).orElse("unknown");
      if (state.equals("FINISHED")) {
        return;
      }
      if (state.equals("FAILED") || state.equals("CANCELED")) {
        break;
      }
      Thread.sleep(100);
    }
    throw new SoakException("Job " + id + " was acknowledged and is " + state);
  }

  /** Verifies that the cluster knows each acknowledged job, and that all results are right. */
  String verify() throws IOException, InterruptedException {
    TreeSet<String> missing = new TreeSet<>(acknowledged);
    JsonNode overview =
        cluster
            .get("/jobs/overview")
            .orElseThrow(() -> new SoakException("No JobManager lists the jobs"));
    overview.path("jobs").forEach(job -> missing.remove(job.path("jid").asText()));
    if (!missing.isEmpty()) {
      throw new SoakException("Jobs that were acknowledged have vanished: " + missing);
    }
    int verified = 0;
    for (ProgramRun program : programs) {
      if (program.hasOutput()) {
        List<String> problems = program.verifier().problems();
        if (!problems.isEmpty()) {
          throw new SoakException(
              "The output of a side job is wrong:\n  " + String.join("\n  ", problems));
        }
        verified++;
      }
    }
    if (verified < acknowledged.size() || verified > acknowledged.size() + refused) {
      throw new SoakException(
          acknowledged.size() + " side jobs were acknowledged, and " + verified + " have run");
    }
    return acknowledged.size()
        + " side jobs acknowledged, "
        + refused
        + " refused, "
        + verified
        + " have run, all with exact results";
  }
}
