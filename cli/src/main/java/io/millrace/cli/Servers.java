package io.millrace.cli;

import io.millrace.cluster.JobManagerProcess;
import io.millrace.cluster.TaskManagerProcess;
import io.millrace.core.Ordered;
import java.util.List;

/** The server processes, and how their JVMs are set up; the launcher does the same. */
enum Servers {
  /** Takes little memory and no data: small and quick to start. */
  JOB_MANAGER(JobManagerProcess.class, List.of("-XX:+UseSerialGC", Servers.NO_FLIGHT_RECORDER)),
  /**
   * Class loaders of ended jobs are kept by soft references of the serialiser; without the second
   * option they would stay until memory is short.
   */
  TASK_MANAGER(
      TaskManagerProcess.class,
      List.of("-XX:+UseParallelGC", "-XX:SoftRefLRUPolicyMSPerMB=0", Servers.NO_FLIGHT_RECORDER));

  /** Netty would load the flight recorder into every process, whether one is recorded or not. */
  private static final String NO_FLIGHT_RECORDER = "-Dio.netty.jfr.enabled=false";

  private final Class<?> mainClass;
  private final List<String> jvmOptions;

  Servers(Class<?> mainClass, List<String> jvmOptions) {
    this.mainClass = mainClass;
    this.jvmOptions = Ordered.list(jvmOptions);
  }

  String mainClass() {
    return mainClass.getName();
  }

  List<String> jvmOptions() {
    return jvmOptions;
  }
}
