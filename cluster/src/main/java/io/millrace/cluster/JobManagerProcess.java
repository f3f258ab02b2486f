package io.millrace.cluster;

import io.millrace.cluster.inspect.ProcessInspector;
import io.millrace.control.JobManager;
import io.millrace.control.archive.ArchiveTargets;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.driver.Drivers;
import io.millrace.control.ha.LeaderRecord;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HistoryOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.JobStoreType;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.BlobKey;
import io.millrace.core.metric.MetricReporters;
import io.millrace.protocol.Messages;
import io.millrace.protocol.WorkerMessages;
import io.millrace.rest.BlobSink;
import io.millrace.rest.HistoryFiles;
import io.millrace.rest.Inspection;
import io.millrace.rest.RestServer;
import io.millrace.rest.RestSettings;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.grpc.GrpcSettings;
import io.millrace.rpc.grpc.GrpcTransport;
import io.millrace.rpc.leader.LeaderRetrieval;
import io.millrace.rpc.live.LiveEnv;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The process of a JobManager of a session cluster. */
public final class JobManagerProcess {
  static final String NAME = "JobManager";

  /** They wait for storage and for the recovery store: a new leader reads much at once. */
  private static final int IO_THREADS = 32;

  private JobManagerProcess() {}

  /** Arguments are {@code key=value} pairs that override the configuration file. */
  public static void main(String[] overrides) {
    System.exit(run(List.of(overrides)));
  }

  /** Runs until the process ends; returns its exit code. */
  public static int run(List<String> overrides) {
    return run(ProcessConfiguration.load(overrides));
  }

  /** Runs until the process ends; returns its exit code. */
  public static int run(Configuration configuration) {
    return ServerProcess.run(
        NAME,
        configuration,
        process -> {
          Services services =
              start(
                  configuration,
                  process,
                  new Mode(
                      Optional.empty(),
                      () -> process.end(ExitCode.SUCCEEDED, "A user shut the cluster down.")));
          announce(configuration, services);
        });
  }

  /**
   * The differences between the kinds of clusters.
   *
   * @param refusal why REST rejects programs and jobs; empty if it accepts them
   * @param shutDown called when a user has shut the cluster down and its jobs have ended
   */
  record Mode(Optional<String> refusal, Runnable shutDown) {
    Mode {
      Objects.requireNonNull(refusal);
      Objects.requireNonNull(shutDown);
    }
  }

  /**
   * The running services that the caller needs.
   *
   * @param ended how the cluster has ended under another JobManager, for one that leads. Blocks.
   */
  record Services(
      Rpc rpc,
      LeaderRetrieval leaders,
      BlobStore blobs,
      String restAddress,
      Supplier<Optional<ApplicationOutcome>> ended) {
    Services {
      Objects.requireNonNull(rpc);
      Objects.requireNonNull(leaders);
      Objects.requireNonNull(blobs);
      Objects.requireNonNull(restAddress);
      Objects.requireNonNull(ended);
    }
  }

  /** Starts the services that all JobManagers have, in order. */
  static Services start(Configuration configuration, ServerProcess process, Mode mode)
      throws Exception {
    ProcessDirectory directory = ProcessDirectory.create(configuration, "jobmanager");
    process.started("Process directory", () -> done(directory::delete));

    LiveEnv env = new LiveEnv("jobmanager", IO_THREADS);
    long startedAt = env.wallMillis();
    process.started("Environment", () -> done(env::close));

    Rpc rpc =
        new Rpc(
            env,
            new GrpcTransport(
                GrpcSettings.from(
                    configuration,
                    GrpcSettings.Role.JOB_MANAGER,
                    ClusterSecret.read(configuration)),
                Messages.codec(),
                Messages::isHeartbeat,
                WorkerMessages::refusal),
            configuration.get(RpcOptions.ASK_TIMEOUT));
    process.started("RPC at " + rpc.address(), () -> done(rpc::close));

    HighAvailabilityServices recovery =
        HighAvailabilityServices.open(
            configuration, directory.path(), process.files(), process.plugins(), env);
    process.started(recovery.toString(), () -> recovery.stop(env, process.endedApplication()));

    BlobStore blobs = recovery.blobs();
    JobManager.Leadership leadership = recovery.leadership(env);
    // Before the components, because the driver publishes the REST address. Until the components
    // lead, REST answers that there is no leader.
    UploadedProgramRunner programs = new UploadedProgramRunner(configuration, directory.path());
    RestSettings settings = RestSettings.of(configuration, directory.path());
    RestServer rest =
        new RestServer(
            rpc,
            leadership.leaders(),
            mode.refusal().map(settings::refusing).orElse(settings),
            new RestServer.Backing(
                new BlobUploads(blobs),
                programs,
                Inspection.of(
                    configuration,
                    ProcessInspector.ofJobManager(env, configuration, ServerJvm.logFile())),
                recovery::otherLeader));
    String restAddress = rest.start().get();
    programs.submitTo(restAddress);
    process.started("REST at " + restAddress, rest::stop);
    process.started("Programs of uploaded jars", programs::stop);

    JobManager jobManager =
        new JobManager(
            rpc,
            configuration,
            new JobManager.Backing(
                blobs,
                recovery.store(),
                new FileCheckpointStorage(process.files()),
                Drivers.of(process.plugins())
                    .chosen(withBoundPorts(configuration, rpc.address(), restAddress), env),
                process.tokens(),
                archives(configuration, recovery, process.files())),
            new JobManager.Signals(mode.shutDown(), process::componentFailed),
            leadership);
    jobManager.start();
    process.started(
        "JobManager",
        () -> {
          CompletableFuture<Void> deregistered =
              process
                  .applicationStatus()
                  .map(status -> jobManager.deregister(status, process.diagnostics()))
                  .orElseGet(() -> CompletableFuture.completedFuture(null));
          return deregistered.thenCompose(done -> jobManager.stop());
        });
    Services services =
        new Services(
            rpc,
            jobManager.leaders(),
            blobs,
            restAddress,
            () ->
                recovery.isElected()
                    ? EndedApplication.find(recovery.store(), startedAt)
                    : Optional.empty());
    if (MetricReporters.areConfigured(configuration)) {
      JobManagerMetrics metrics =
          new JobManagerMetrics(
              configuration.get(JobManagerOptions.ADDRESS), rpc, leadership.leaders());
      process.started("Metrics", () -> done(metrics::close));
      MetricReporters reporters = MetricReporters.start(configuration, process.plugins(), metrics);
      process.started(reporters.toString(), () -> done(reporters::close));
    }
    if (recovery.isElected()) {
      Mailbox mailbox = env.mailbox("process-elections");
      new ElectionWatcher(process, services, mode.refusal().isPresent()).start(env, mailbox);
    }
    recovery.lead(env, new LeaderRecord(rpc.address(), restAddress), process::fatal);
    return services;
  }

  private static ArchiveTargets archives(
      Configuration configuration, HighAvailabilityServices recovery, FileSystems files) {
    return new ArchiveTargets(
        Optional.of(recovery.archive())
            .filter(
                archive ->
                    configuration.get(JobManagerOptions.JOB_STORE_TYPE) == JobStoreType.FILE),
        configuration
            .find(HistoryOptions.ARCHIVE_DIR)
            .map(directory -> new HistoryFiles(files, FilePath.parse(directory))::write));
  }

  /** Publishes the addresses of the services. */
  static void announce(Configuration configuration, Services services) {
    Map<String, String> addresses = new LinkedHashMap<>();
    addresses.put("rpc", services.rpc().address());
    addresses.put("rest", services.restAddress());
    addresses.put("pid", String.valueOf(ProcessHandle.current().pid()));
    ServerProcess.publish(configuration, addresses);
    System.out.println(
        "JobManager serves REST at "
            + RestTlsOptions.scheme(configuration)
            + services.restAddress());
  }

  /**
   * The configuration with the bound ports, which differ from the configured ones if these are 0.
   */
  private static Configuration withBoundPorts(
      Configuration configuration, String rpcAddress, String restAddress) {
    return configuration
        .with(JobManagerOptions.PORT, port(rpcAddress))
        .with(RestOptions.PORT, port(restAddress));
  }

  private static String port(String address) {
    return address.substring(address.lastIndexOf(':') + 1);
  }

  static CompletableFuture<Void> done(Runnable stop) {
    stop.run();
    return CompletableFuture.completedFuture(null);
  }

  private record BlobUploads(BlobStore blobs) implements BlobSink {
    @Override
    public BlobKey put(InputStream content) throws IOException {
      return blobs.put(content);
    }

    @Override
    public boolean contains(BlobKey key) throws IOException {
      return blobs.contains(key);
    }

    @Override
    public long storedBytes() throws IOException {
      return blobs.storedBytes();
    }
  }
}
