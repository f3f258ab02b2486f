package io.millrace.cli.jobs;

import io.millrace.cli.common.Console;
import io.millrace.client.CheckpointClient;
import io.millrace.client.CheckpointClient.CheckpointState;
import io.millrace.client.CheckpointClient.StartedOperation;
import io.millrace.core.MemorySize;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import java.time.Duration;
import java.util.Optional;

/** Waits for an operation of a cluster and prints its progress. */
final class OperationWait {
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final Console console;
  private final CheckpointClient client;

  OperationWait(Console console, CheckpointClient client) {
    this.console = console;
    this.client = client;
  }

  /** The result of an operation. */
  String result(StartedOperation operation) {
    Optional<String> result = client.result(operation);
    while (result.isEmpty()) {
      pause();
      result = client.result(operation);
    }
    return result.get();
  }

  /** The result of an operation that takes a checkpoint of a job. */
  String result(StartedOperation operation, JobId job) {
    String shown = "";
    Optional<String> result = client.result(operation);
    while (result.isEmpty()) {
      String now = client.newest(job).map(OperationWait::progress).orElse("");
      if (!now.equals(shown)) {
        console.err().println(now);
        shown = now;
      }
      pause();
      result = client.result(operation);
    }
    return result.get();
  }

  private static String progress(CheckpointState state) {
    return state.acknowledged()
        + " of "
        + state.tasks()
        + " tasks have stored their state ("
        + new MemorySize(state.bytes())
        + ")";
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(
          ErrorKind.USER, "Interrupted; the cluster continues the operation.", e);
    }
  }
}
