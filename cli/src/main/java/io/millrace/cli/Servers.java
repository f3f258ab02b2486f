package io.millrace.cli;

import io.millrace.cluster.JobManagerProcess;
import io.millrace.cluster.TaskManagerProcess;
import io.millrace.core.Ordered;
import java.util.ArrayList;
import java.util.List;

/** The server processes, and how their JVMs are set up; the launcher does the same. */
enum Servers {
  /** Takes little memory and no data: small and quick to start. */
  JOB_MANAGER(JobManagerProcess.class, List.of("-XX:+UseSerialGC")),
  /**
   * Class loaders of ended jobs are kept by soft references of the serialiser; without the second
   * option they would stay until memory is short.
   */
  TASK_MANAGER(
      TaskManagerProcess.class, List.of("-XX:+UseParallelGC", "-XX:SoftRefLRUPolicyMSPerMB=0"));

  /**
   * Code runs interpreted for longer than by default before it is compiled, and longer again before
   * it is optimised: most of what a start compiles early is never hot, and what is hot gets there
   * soon. Netty would load the flight recorder into every process.
   */
  private static final List<String> QUICK_START =
      List.of(
          "-XX:Tier3InvocationThreshold=1000",
          "-XX:Tier3MinInvocationThreshold=500",
          "-XX:Tier3CompileThreshold=10000",
          "-XX:Tier3BackEdgeThreshold=300000",
          "-XX:Tier4InvocationThreshold=50000",
          "-XX:Tier4MinInvocationThreshold=6000",
          "-XX:Tier4CompileThreshold=150000",
          "-XX:Tier4BackEdgeThreshold=400000",
          "-Dio.netty.jfr.enabled=false");

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
    List<String> all = new ArrayList<>(jvmOptions);
    all.addAll(QUICK_START);
    return all;
  }
}
