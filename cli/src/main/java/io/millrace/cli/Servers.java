package io.millrace.cli;

import io.millrace.cluster.JobManagerProcess;
import io.millrace.cluster.TaskManagerProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The server processes, and how their JVMs are set up. */
enum Servers {
  /** Takes little memory and no data: small and quick to start. */
  JOB_MANAGER(JobManagerProcess.class, List.of("-XX:+UseSerialGC")),
  /**
   * Class loaders of ended jobs are kept by soft references of the serialiser; without the last
   * option they would stay until memory is short.
   */
  TASK_MANAGER(
      TaskManagerProcess.class, List.of("-XX:+UseParallelGC", "-XX:SoftRefLRUPolicyMSPerMB=0"));

  /** The class-data archive that the launcher found, if it found one. */
  private static final String ARCHIVE_PROPERTY = "millrace.archive";

  private final Class<?> mainClass;
  private final List<String> options;

  Servers(Class<?> mainClass, List<String> options) {
    this.mainClass = mainClass;
    this.options = options;
  }

  String mainClass() {
    return mainClass.getName();
  }

  List<String> jvmOptions() {
    List<String> all = new ArrayList<>(options);
    Optional.ofNullable(System.getProperty(ARCHIVE_PROPERTY))
        .ifPresent(
            archive -> {
              all.add("-Xshare:auto");
              all.add("-XX:SharedArchiveFile=" + archive);
              all.add("-D" + ARCHIVE_PROPERTY + "=" + archive);
            });
    return all;
  }
}
