package io.millrace.core.config;

import java.util.List;
import java.util.Optional;

/**
 * Options of Flink that have no effect, so that Flink's configuration files can be used unchanged:
 * a warning names those that are set. Declared options take precedence over the patterns.
 */
final class FlinkOptions {
  static final List<Group> WITHOUT_EFFECT =
      List.of(
          new Group(
              "State backends and checkpoints have no further options",
              "state.*",
              "execution.checkpointing.*",
              "execution.state-recovery.*",
              "execution.async-state.*",
              "execution.batch-state-backend.enabled",
              "pipeline.sources.pause-until-first-checkpoint",
              "rest.cache.checkpoint-statistics.*",
              "queryable-state.*",
              "task.cancellation.timers.timeout"),
          new Group(
              "The only scheduler keeps the parallelism of the job",
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
              "Failed regions of a job restart as restart-strategy.type says",
              "restart-strategy",
              "jobmanager.execution.*",
              "jobmanager.failure-enrichers"),
          new Group(
              "Of metrics only the options in the table above are supported",
              "metrics.*",
              "traces.*",
              "events.*",
              "jmx.*"),
          new Group(
              "RPC uses gRPC, which has no tuning options",
              "pekko.*",
              "akka.*",
              "rpc.*",
              "heartbeat.rpc-failure-threshold",
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
              "Of ZooKeeper only the options in the table above are supported",
              "high-availability.zookeeper.*",
              "zookeeper.*"),
          new Group(
              "A JobManager recovers from files or from ZooKeeper",
              "high-availability.kubernetes.*",
              "high-availability",
              "completed-application-store.*",
              "cleanup-strategy.*"),
          new Group(
              "Kubernetes and Mesos are not supported",
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
              "The program sets these",
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
              "Exchanges between tasks size their buffers automatically within the network memory",
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
              "User classes are always loaded child-first",
              "classloader.resolve-order",
              "classloader.check-leaked-classloader",
              "classloader.fail-on-metaspace-oom-error"),
          new Group(
              "Environment variables and the command line set these: `JAVA_HOME`, `HADOOP_CONF_DIR`,"
                  + " `MILLRACE_LOG_DIR`, `--dir`",
              "env.*.conf.dir",
              "env.java.home",
              "env.java.default-opts.*",
              "env.java.opts.historyserver",
              "env.java.opts.sql-gateway",
              "env.log.dir",
              "env.log.level",
              "env.pid.dir",
              "env.ssh.opts",
              "env.stdout-err.redirect-to-file",
              "process.working-dir",
              "process.jobmanager.working-dir",
              "process.taskmanager.working-dir"),
          new Group(
              "File systems are configured in Hadoop's own files, or by options flink.hadoop.*",
              "fs.*",
              "s3.*",
              "s3a.*",
              "presto.*",
              "gs.*",
              "oss.*"),
          new Group(
              "REST and the web page do not have these options",
              "rest.async.*",
              "rest.await-leader-timeout",
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
              "Of TLS and Kerberos only the options in the table above are supported",
              "security.context.factory.classes",
              "security.module.factory.classes",
              "security.kerberos.*",
              "security.ssl.*"),
          new Group(
              "Threads, ids and delays of processes cannot be configured",
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
              "SQL and Python are not supported",
              "table.*",
              "sql-gateway.*",
              "sql-client.*",
              "python.*"));

  private FlinkOptions() {}

  /** The reason why an option of Flink has no effect; empty for other keys. */
  static Optional<String> reason(String key) {
    return WITHOUT_EFFECT.stream()
        .filter(group -> group.patterns.stream().anyMatch(pattern -> matches(pattern, key)))
        .map(Group::reason)
        .findFirst();
  }

  static boolean matches(String pattern, String key) {
    int star = pattern.indexOf('*');
    return star < 0
        ? key.equals(pattern)
        : key.length() >= pattern.length() - 1
            && key.startsWith(pattern.substring(0, star))
            && key.endsWith(pattern.substring(star + 1));
  }

  /** Keys, of which one part may be a star, and the reason why they have no effect. */
  record Group(String reason, List<String> patterns) {
    Group(String reason, String... patterns) {
      this(reason, List.of(patterns));
    }
  }
}
