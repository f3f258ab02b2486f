package io.millrace.cluster;

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
import io.millrace.protocol.Messages;
import io.millrace.rest.BlobSink;
import io.millrace.rest.HistoryFiles;
import io.millrace.rest.RestServer;
import io.millrace.rest.RestSettings;
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

/** The JobManager of a session cluster, as a process. */
public final class JobManagerProcess {
  static final String NAME = "JobManager";

  private JobManagerProcess() {}

  /** Takes {@code key=value} pairs that override the configuration file. */
  public static void main(String[] overrides) {
    System.exit(run(List.of(overrides)));
  }

  /** Runs to the end of the process; returns its exit code. */
  public static int run(List<String> overrides) {
    return run(ProcessConfiguration.load(overrides));
  }

  /** Runs to the end of the process; returns its exit code. */
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
   * What the processes of a JobManager differ in.
   *
   * @param refusal why REST takes no programs and jobs, where it takes none
   * @param shutDown what a user's wish that the cluster ends comes to, once its jobs have ended
   */
  record Mode(Optional<String> refusal, Runnable shutDown) {
    Mode {
      Objects.requireNonNull(refusal);
      Objects.requireNonNull(shutDown);
    }
  }

  /** What runs, for whoever goes on from there. */
  record Services(Rpc rpc, LeaderRetrieval leaders, BlobStore blobs, String restAddress) {
    Services {
      Objects.requireNonNull(rpc);
      Objects.requireNonNull(leaders);
      Objects.requireNonNull(blobs);
      Objects.requireNonNull(restAddress);
    }
  }

  /** Starts what every JobManager has, in order. */
  static Services start(Configuration configuration, ServerProcess process, Mode mode)
      throws Exception {
    ProcessDirectory directory = ProcessDirectory.create(configuration, "jobmanager");
    process.started("Process directory", () -> done(directory::delete));

    LiveEnv env = new LiveEnv("jobmanager");
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
                Messages::isHeartbeat),
            configuration.get(RpcOptions.ASK_TIMEOUT));
    process.started("RPC at " + rpc.address(), () -> done(rpc::close));

    HighAvailabilityServices recovery =
        HighAvailabilityServices.open(configuration, directory.path(), process.files());
    process.started(recovery.toString(), () -> recovery.stop(env, process.endedForGood()));

    BlobStore blobs = recovery.blobs();
    JobManager.Leadership leadership = JobManager.Leadership.alone(env, recovery.store());
    // Before the components, whose driver tells others where it is; until they lead it answers
    // that nobody does.
    UploadedProgramRunner programs = new UploadedProgramRunner(configuration, directory.path());
    RestSettings settings = RestSettings.of(configuration, directory.path());
    RestServer rest =
        new RestServer(
            rpc,
            leadership.leaders(),
            mode.refusal().map(settings::refusing).orElse(settings),
            new Uploads(blobs),
            programs::run);
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
                    .chosen(reachable(configuration, rpc.address(), restAddress), env),
                process.tokens(),
                archives(configuration, recovery, process.files())),
            new JobManager.Signals(mode.shutDown(), process::componentDied),
            leadership);
    jobManager.start();
    process.started(
        "JobManager",
        () -> {
          CompletableFuture<Void> deregistered =
              process
                  .ofApplication()
                  .map(status -> jobManager.deregister(status, process.diagnostics()))
                  .orElseGet(() -> CompletableFuture.completedFuture(null));
          return deregistered.thenCompose(done -> jobManager.stop());
        });
    recovery.lead(env, new LeaderRecord(rpc.address(), restAddress), process::fatal);
    return new Services(rpc, jobManager.leaders(), blobs, restAddress);
  }

  private static ArchiveTargets archives(
      Configuration configuration, HighAvailabilityServices recovery, FileSystems files) {
    return new ArchiveTargets(
        Optional.of(recovery.ended())
            .filter(
                kept -> configuration.get(JobManagerOptions.JOB_STORE_TYPE) == JobStoreType.FILE),
        configuration
            .find(HistoryOptions.ARCHIVE_DIR)
            .map(directory -> new HistoryFiles(files, FilePath.parse(directory))::write));
  }

  /** Tells others where the services are. */
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

  /** With the ports that were taken, where any free ones were asked for. */
  private static Configuration reachable(
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

  private record Uploads(BlobStore blobs) implements BlobSink {
    @Override
    public BlobKey put(InputStream content) throws IOException {
      return blobs.put(content);
    }

    @Override
    public boolean contains(BlobKey key) throws IOException {
      return blobs.contains(key);
    }
  }
}
