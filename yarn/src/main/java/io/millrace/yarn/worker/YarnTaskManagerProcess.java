package io.millrace.yarn.worker;

import io.millrace.cluster.ExitCode;
import io.millrace.cluster.TaskManagerProcess;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.yarn.launch.ContainerFiles;
import java.nio.file.Path;
import java.util.List;

/** A TaskManager in a container, with its own key. */
public final class YarnTaskManagerProcess {
  private YarnTaskManagerProcess() {}

  /** Takes {@code key=value} pairs that override the configuration file. */
  public static void main(String[] overrides) {
    System.exit(run(List.of(overrides)));
  }

  private static int run(List<String> overrides) {
    try {
      ContainerFiles.unpack(System.getenv(), Path.of("").toAbsolutePath());
    } catch (MillraceException e) {
      System.err.println("The TaskManager could not start: " + Failure.sentence(e));
      return ExitCode.START_UP_FAILURE.code();
    }
    return TaskManagerProcess.run(overrides);
  }
}
