package io.millrace.cli;

import io.millrace.cluster.JobManagerProcess;
import io.millrace.cluster.TaskManagerProcess;
import io.millrace.core.Ordered;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A kind of server process, and how its JVM is set up; the launcher does the same. */
record Server(String mainClass, List<String> jvmOptions) {
  /** Takes little memory and no data: small and quick to start. */
  static final Server JOB_MANAGER =
      new Server(JobManagerProcess.class.getName(), quickStart("-XX:+UseSerialGC"));

  /**
   * Class loaders of ended jobs are kept by soft references of the serialiser; without the second
   * option they would stay until memory is short.
   */
  static final Server TASK_MANAGER =
      new Server(
          TaskManagerProcess.class.getName(),
          quickStart("-XX:+UseParallelGC", "-XX:SoftRefLRUPolicyMSPerMB=0"));

  Server {
    Objects.requireNonNull(mainClass);
    jvmOptions = Ordered.list(jvmOptions);
  }

  /**
   * Code runs interpreted for longer than by default before it is compiled, and longer again before
   * it is optimised: most of what a start compiles early is never hot, and what is hot gets there
   * soon. Netty would load the flight recorder into every process. Text is UTF-8 whatever the
   * locale, as on newer JVMs.
   */
  private static List<String> quickStart(String... own) {
    List<String> options = new ArrayList<>(List.of(own));
    options.add("-XX:Tier3InvocationThreshold=1000");
    options.add("-XX:Tier3MinInvocationThreshold=500");
    options.add("-XX:Tier3CompileThreshold=10000");
    options.add("-XX:Tier3BackEdgeThreshold=300000");
    options.add("-XX:Tier4InvocationThreshold=50000");
    options.add("-XX:Tier4MinInvocationThreshold=6000");
    options.add("-XX:Tier4CompileThreshold=150000");
    options.add("-XX:Tier4BackEdgeThreshold=400000");
    options.add("-Dio.netty.jfr.enabled=false");
    options.add("-Dfile.encoding=UTF-8");
    return options;
  }
}
