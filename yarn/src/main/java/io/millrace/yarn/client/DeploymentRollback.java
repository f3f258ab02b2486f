package io.millrace.yarn.client;

import io.millrace.client.Progress;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Undoes a deployment that fails, or whose process ends before the deployment is complete: kills
 * the application and removes its files.
 */
final class DeploymentRollback implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(15);
  private static final Logger LOG = LoggerFactory.getLogger(DeploymentRollback.class);

  private final YarnResourceManagerClient yarn;
  private final ApplicationId id;
  private final StagingDirectory staging;
  private final RestTokenStore tokens;
  private final Progress progress;
  private final Thread hook = new Thread(this::interrupted, "deployment-rollback");
  private boolean created;
  private boolean submitted;
  private boolean over;

  DeploymentRollback(
      YarnResourceManagerClient yarn,
      ApplicationId id,
      StagingDirectory staging,
      RestTokenStore tokens,
      Progress progress) {
    this.yarn = yarn;
    this.id = id;
    this.staging = staging;
    this.tokens = tokens;
    this.progress = progress;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Creates the directory, which a rollback removes. */
  synchronized void createStagingDirectory() {
    staging.make();
    created = true;
  }

  /** Submits the application, unless the process is ending. */
  synchronized void submit(Runnable submission) {
    if (over) {
      throw new IllegalStateException("The deployment of " + id + " was undone");
    }
    submitted = true;
    submission.run();
    staging.submitted();
  }

  /** The JobManager runs and is responsible for the application from now on. */
  synchronized void complete() {
    over = true;
  }

  /** Bounded in time, because the user waits for the end of the process. */
  private void interrupted() {
    Thread undoing =
        new Thread(
            () -> PluginContext.run(() -> undo("Interrupted: ")), "deployment-rollback-bounded");
    undoing.setDaemon(true);
    undoing.start();
    try {
      undoing.join(TIMEOUT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (undoing.isAlive()) {
      progress.report(
          "Hadoop does not answer: application "
              + id
              + " and its directory "
              + staging.directory()
              + " may be left behind. Kill the application with `yarn application -kill "
              + id
              + "` and remove the directory.");
    }
  }

  private synchronized void undo(String because) {
    if (over) {
      return;
    }
    over = true;
    // Hadoop's client would fail at once in an interrupted thread.
    boolean interrupted = Thread.interrupted();
    try {
      kill(because);
      removeFiles();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void kill(String because) {
    if (submitted) {
      try {
        if (yarn.report(id).filter(YarnApplication::isOver).isPresent()) {
          return;
        }
        yarn.kill(id, "Its client ended before the JobManager ran.");
        progress.report(because + "application " + id + " was killed");
      } catch (MillraceException e) {
        LOG.warn("Application {} may still run", id, e);
        progress.report(
            "Application "
                + id
                + " may still run. Kill it with: yarn application -kill "
                + id
                + " ("
                + e.getMessage()
                + ")");
      }
    }
  }

  private void removeFiles() {
    if (!created) {
      return;
    }
    tokens.forget(id.toString());
    try {
      staging.remove();
    } catch (IOException e) {
      LOG.warn("{} was left behind", staging.directory(), e);
      progress.report(
          "The directory "
              + staging.directory()
              + " was left behind: "
              + YarnResourceManagerClient.firstLine(e)
              + ". Remove it with: hdfs dfs -rm -r "
              + staging.directory());
    }
  }

  @Override
  public void close() {
    undo("");
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending, and the hook runs.
      return;
    }
  }
}
