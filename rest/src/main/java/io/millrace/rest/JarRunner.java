package io.millrace.rest;

import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.JobId;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Runs the main method of an uploaded jar in another process. A plug point. */
public interface JarRunner {
  /** Completes when the program has submitted its first job. Called from any thread. */
  CompletableFuture<JobId> run(JarRun request);

  /**
   * Completes with the graph of the first job that the program would submit, as the JSON of a plan.
   * Called from any thread.
   */
  CompletableFuture<String> plan(JarRun request);

  /**
   * @param entryClass overrides the main class of the manifest
   * @param job the id of the submitted job; a random id if empty
   * @param configuration overrides the configuration of the cluster for this program
   */
  record JarRun(
      Path jar,
      Optional<String> entryClass,
      List<String> arguments,
      Optional<Integer> parallelism,
      Optional<JobId> job,
      Configuration configuration) {
    public JarRun {
      Objects.requireNonNull(jar);
      Objects.requireNonNull(entryClass);
      arguments = OrderedCopies.list(arguments);
      Objects.requireNonNull(parallelism);
      Objects.requireNonNull(job);
      Objects.requireNonNull(configuration);
    }
  }
}
