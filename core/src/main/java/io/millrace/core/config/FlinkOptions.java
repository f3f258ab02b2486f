package io.millrace.core.config;

import java.util.List;
import java.util.Optional;

/**
 * Options of Flink that are none here, so that its configuration files can be used as they are: who
 * has one set is told that it has no effect. Declared options win over the patterns.
 */
final class FlinkOptions {
  static final List<Group> WITHOUT_EFFECT =
      List.of(
          new Group(
              "State is kept on the heap, and there are no checkpoints",
              "state.*",
              "execution.checkpointing.*",
              "execution.state-recovery.*",
              "execution.async-state.*",
              "execution.batch-state-backend.enabled",
              "pipeline.sources.pause-until-first-checkpoint",
              "rest.cache.checkpoint-statistics.*",
              "web.checkpoints.history",
              "queryable-state.*",
              "task.cancellation.timers.timeout"),
          new Group(
              "There is one scheduler, which keeps the parallelism that a job asks for",
              "jobmanager.scheduler",
              "jobmanager.adaptive-scheduler.*",
              "jobmanager.adaptive-batch-scheduler.*",
              "scheduler-mode",
              "execution.batch.*",
              "slow-task-detector.*",
              "pipeline.jobvertex-parallelism-overrides",
              "job-event.*",
              "web.adaptive-scheduler.*",
              "web.rescale.enable"),
          new Group(
              "Failed regions of a job restart after a fixed delay",
              "restart-strategy",
              "restart-strategy.exponential-delay.*",
              "restart-strategy.failure-rate.*",
              "jobmanager.execution.*",
              "jobmanager.failure-enrichers"),
          new Group(
              "Metrics are read through REST; there are no reporters",
              "metrics.*",
              "traces.*",
              "events.*",
              "jmx.*"),
          new Group(
              "Components talk over gRPC, which is not tuned by options",
              "pekko.*",
              "akka.*",
              "rpc.*",
              "heartbeat.rpc-failure-threshold",
              "jobmanager.rpc.bind-port",
              "taskmanager.rpc.bind-port",
              "taskmanager.data.bind-port",
              "taskmanager.data.ssl.enabled",
              "taskmanager.collect-sink.port",
              "resourcemanager.rpc.port"),
          new Group(
              "Jars and graphs travel over RPC and REST",
              "blob.*",
              "pipeline.jars",
              "pipeline.classpaths",
              "pipeline.cached-files"),
          new Group(
              "A JobManager recovers from files",
              "high-availability.zookeeper.*",
              "high-availability.kubernetes.*",
              "high-availability.jobmanager.port",
              "high-availability",
              "zookeeper.*",
              "completed-application-store.*",
              "cleanup-strategy.*"),
          new Group(
              "There are no clusters on Kubernetes or Mesos",
              "kubernetes.*",
              "mesos.*",
              "containerized.*"),
          new Group(
              "Serialisers are chosen by the classes of records, which are never reused",
              "pipeline.force-avro",
              "pipeline.force-kryo",
              "pipeline.force-kryo-avro",
              "pipeline.generic-types",
              "pipeline.object-reuse",
              "pipeline.serialization-config",
              "pipeline.default-kryo-serializers",
              "pipeline.registered-kryo-types",
              "pipeline.registered-pojo-types"),
          new Group(
              "The program says these itself",
              "pipeline.name",
              "pipeline.auto-generate-uids",
              "pipeline.closure-cleaner-level",
              "pipeline.operator-chaining",
              "pipeline.operator-chaining.chain-operators-with-different-max-parallelism",
              "pipeline.vertex-description-mode",
              "pipeline.vertex-name-include-index-prefix",
              "pipeline.watermark-alignment.*",
              "execution.job-listeners",
              "execution.job-status-changed-listeners",
              "execution.program-config.*",
              "sink.*"),
          new Group(
              "Exchanges between tasks size themselves within the network memory",
              "taskmanager.network.*",
              "taskmanager.memory.framework.off-heap.batch-shuffle.size",
              "taskmanager.memory.managed.consumer-weights",
              "taskmanager.memory.min-segment-size",
              "taskmanager.memory.starting-segment-size",
              "execution.batch-shuffle-mode",
              "jobmanager.partition.*"),
          new Group(
              "Operators neither sort nor spill",
              "execution.sorted-inputs.*",
              "execution.sort-partition.memory",
              "execution.sort-keyed-partition.memory",
              "taskmanager.runtime.*",
              "compiler.*"),
          new Group(
              "User classes load child-first, always",
              "classloader.resolve-order",
              "classloader.check-leaked-classloader",
              "classloader.fail-on-metaspace-oom-error"),
          new Group(
              "Environment variables and the command line say these: `JAVA_HOME`, `HADOOP_CONF_DIR`,"
                  + " `MILLRACE_LOG_DIR`, `--dir`",
              "env.*",
              "process.working-dir",
              "process.jobmanager.working-dir",
              "process.taskmanager.working-dir"),
          new Group(
              "File systems are configured in Hadoop's own files",
              "fs.*",
              "s3.*",
              "s3a.*",
              "presto.*",
              "gs.*",
              "oss.*",
              "flink.hadoop.*"),
          new Group(
              "REST and the web page have no such switch",
              "rest.async.*",
              "rest.await-leader-timeout",
              "rest.bind-port",
              "rest.cache.*",
              "rest.client.*",
              "rest.connection-timeout",
              "rest.flamegraph.*",
              "rest.idleness-timeout",
              "rest.path",
              "rest.profiling.*",
              "rest.retry.*",
              "rest.server.*",
              "rest.url-prefix",
              "web.*",
              "historyserver.*"),
          new Group(
              "Of TLS and Kerberos only what the table above has can be set",
              "security.context.factory.classes",
              "security.module.factory.classes",
              "security.kerberos.*",
              "security.ssl.*"),
          new Group(
              "Threads, ids and delays of processes are the engine's own",
              "cluster.*",
              "jobmanager.future-pool.size",
              "jobmanager.io-pool.size",
              "jobmanager.resource-id",
              "jobmanager.retrieve-taskmanager-hostname",
              "minicluster.*",
              "slot.request.max-interval",
              "slotmanager.declare-needed-resource.delay",
              "slotmanager.requirement-check.delay",
              "taskmanager.debug.*",
              "taskmanager.jvm-exit-on-oom",
              "taskmanager.load-balance.mode",
              "taskmanager.log.path",
              "taskmanager.system-out.*"),
          new Group(
              "An application ends with its main and its jobs",
              "execution.shutdown-on-application-finish",
              "execution.submit-failed-job-on-application-error",
              "execution.terminate-application-on-any-job-terminated-exceptionally"),
          new Group(
              "There is no SQL and no Python",
              "table.*",
              "sql-gateway.*",
              "sql-client.*",
              "python.*"));

  private FlinkOptions() {}

  /** Why an option of Flink has no effect here; nothing for other keys. */
  static Optional<String> reason(String key) {
    return WITHOUT_EFFECT.stream()
        .filter(group -> group.patterns.stream().anyMatch(pattern -> matches(pattern, key)))
        .map(Group::reason)
        .findFirst();
  }

  static boolean matches(String pattern, String key) {
    return pattern.endsWith("*")
        ? key.startsWith(pattern.substring(0, pattern.length() - 1))
        : key.equals(pattern);
  }

  /** Keys, or beginnings of keys with a star, and why they have no effect. */
  record Group(String reason, List<String> patterns) {
    Group(String reason, String... patterns) {
      this(reason, List.of(patterns));
    }
  }
}
