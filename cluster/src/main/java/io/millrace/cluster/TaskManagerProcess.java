package io.millrace.cluster;

import io.millrace.control.ha.Coordinator;
import io.millrace.control.ha.Coordinators;
import io.millrace.core.Bytes;
import io.millrace.core.config.BindPorts;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HeartbeatManagerOptions;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.id.Id128;
import io.millrace.core.id.WorkerId;
import io.millrace.core.log.LogContext;
import io.millrace.core.memory.DefaultProcessSizes;
import io.millrace.core.memory.TaskManagerMemory;
import io.millrace.core.metric.MetricReporters;
import io.millrace.core.tls.InternalTls;
import io.millrace.core.tls.TlsWarmUp;
import io.millrace.dataplane.DataPlaneSettings;
import io.millrace.dataplane.wire.ConnectionTimeouts;
import io.millrace.dataplane.wire.DataPort;
import io.millrace.dataplane.wire.NetworkMemory;
import io.millrace.protocol.Messages;
import io.millrace.protocol.journal.TaskExecutorEvent.RegisteredWithSlots;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.grpc.GrpcSettings;
import io.millrace.rpc.grpc.GrpcTransport;
import io.millrace.rpc.leader.DirectoryLeaderRetrieval;
import io.millrace.rpc.leader.LeaderRetrieval;
import io.millrace.rpc.live.LiveEnv;
import io.millrace.task.store.StateBackends;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The process of a TaskManager of a standalone cluster or of the driver {@code process}. */
public final class TaskManagerProcess {
  private static final Logger LOG = LoggerFactory.getLogger(TaskManagerProcess.class);
  private static final Duration ABANDON_TIMEOUT = Duration.ofSeconds(1);

  private TaskManagerProcess() {}

  /** Arguments are {@code key=value} pairs that override the configuration file. */
  public static void main(String[] overrides) {
    System.exit(run(List.of(overrides)));
  }

  /** Runs until the process ends; returns its exit code. */
  public static int run(List<String> overrides) {
    Configuration configuration = DefaultProcessSizes.in(ProcessConfiguration.load(overrides));
    return ServerProcess.run(
        "TaskManager", configuration, process -> start(configuration, process));
  }

  private static void start(Configuration configuration, ServerProcess process) {
    // Most machines have more than one processor: the first connection is faster then.
    process.inBackground("tls-warm-up", () -> TlsWarmUp.run(configuration));
    HostResources machine = HostResources.of(configuration);
    ProcessDirectory directory = ProcessDirectory.create(configuration, "taskmanager");
    process.started("Process directory", () -> JobManagerProcess.done(directory::delete));

    CompletableFuture<String> registered = new CompletableFuture<>();
    LiveEnv env =
        new LiveEnv(
            "taskmanager",
            entry -> {
              if (entry.event() instanceof RegisteredWithSlots first) {
                registered.complete(first.address().toString());
              }
            });
    process.started("Environment", () -> JobManagerProcess.done(env::close));

    Bytes secret = ClusterSecret.read(configuration);
    Rpc rpc =
        new Rpc(
            env,
            new GrpcTransport(
                GrpcSettings.from(configuration, GrpcSettings.Role.TASK_MANAGER, secret),
                Messages.codec(),
                Messages::isHeartbeat),
            configuration.get(RpcOptions.ASK_TIMEOUT));
    process.started("RPC at " + rpc.address(), () -> JobManagerProcess.done(rpc::close));

    LeaderRetrieval leaders = leaders(configuration, process, rpc);
    WorkerId id =
        new WorkerId(
            configuration
                .find(TaskManagerOptions.RESOURCE_ID)
                .orElseGet(() -> rpc.address() + "-" + Id128.random(env.random("worker-id"))));
    LogContext.setWorker(id.value());
    TaskManagerRunner worker =
        new TaskManagerRunner(
            rpc,
            leaders,
            configuration,
            new TaskManagerRunner.Identity(
                id,
                configuration.get(TaskManagerOptions.NUM_TASK_SLOTS),
                machine,
                directory.path().resolve("blobs"),
                process.tokens()),
            DataPlaneSettings.listening(
                    TaskManagerRunner.cores(configuration), dataPort(configuration, secret))
                .with(process.files())
                .with(configuration)
                .keepingIn(directory.path().resolve("kept"))
                .with(StateBackends.of(process.plugins()), directory.path().resolve("local-state")),
            process::fatal);
    process.started("TaskManager " + id, worker::stop);
    if (MetricReporters.areConfigured(configuration)) {
      MetricReporters reporters =
          MetricReporters.start(
              configuration,
              process.plugins(),
              worker.metrics(configuration.get(TaskManagerOptions.HOST)));
      process.started(reporters.toString(), () -> JobManagerProcess.done(reporters::close));
    }
    process.whenProgramExits(
        () -> {
          LOG.error("Code of a job called System.exit, which ends this process");
          try {
            worker.abandon().get(ABANDON_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          } catch (ExecutionException | TimeoutException e) {
            LOG.warn("Jobs may not have been notified of the end of this process", e);
          }
          return Optional.of(
              new ApplicationOutcome(ExitCode.FATAL, "Code of a job called System.exit."));
        });

    Map<String, String> addresses = new LinkedHashMap<>();
    addresses.put("rpc", rpc.address());
    addresses.put("data", worker.dataAddress());
    addresses.put("worker", id.value());
    addresses.put("pid", String.valueOf(ProcessHandle.current().pid()));
    ServerProcess.publish(configuration, addresses);
    registered.thenAcceptAsync(
        resourceManager -> {
          addresses.put("registered", resourceManager);
          ServerProcess.publish(configuration, addresses);
        },
        work -> process.inBackground("publish-registration", work));
  }

  private static LeaderRetrieval leaders(
      Configuration configuration, ServerProcess process, Rpc rpc) {
    if (!Coordinators.isConfigured(configuration)) {
      return JobManagerLookup.of(configuration, process.files(), rpc);
    }
    Coordinator coordinator = Coordinators.of(process.plugins()).connect(configuration, rpc.env());
    process.started(coordinator.toString(), () -> JobManagerProcess.done(coordinator::close));
    return new DirectoryLeaderRetrieval(rpc, new CoordinatedLookup(coordinator));
  }

  private static DataPort dataPort(Configuration configuration, Bytes secret) {
    return new DataPort(
        configuration.get(TaskManagerOptions.BIND_HOST),
        BindPorts.of(
            configuration, TaskManagerOptions.DATA_BIND_PORT, TaskManagerOptions.DATA_PORT),
        configuration.get(TaskManagerOptions.HOST),
        secret,
        InternalTls.of(configuration),
        timeouts(configuration),
        NetworkMemory.of(
            TaskManagerMemory.of(configuration).network(),
            configuration.get(MemoryOptions.SEGMENT_SIZE)));
  }

  private static ConnectionTimeouts timeouts(Configuration configuration) {
    Duration timeout = configuration.get(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT);
    Duration interval = configuration.get(HeartbeatManagerOptions.HEARTBEAT_INTERVAL);
    // The control plane allows any values. A ping after the timeout would have no effect.
    Duration half = timeout.dividedBy(2);
    return new ConnectionTimeouts(
        configuration.get(RpcOptions.ASK_TIMEOUT).multipliedBy(3),
        interval.compareTo(half) < 0 ? interval : half,
        timeout);
  }
}
