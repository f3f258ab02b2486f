package io.millrace.cluster;

import io.millrace.client.ConfigurationFile;
import io.millrace.control.JobManager;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.blob.FileBlobs;
import io.millrace.control.driver.StandaloneDriver;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.core.id.BlobKey;
import io.millrace.protocol.Messages;
import io.millrace.rest.BlobSink;
import io.millrace.rest.RestServer;
import io.millrace.rest.RestSettings;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.grpc.GrpcSettings;
import io.millrace.rpc.grpc.GrpcTransport;
import io.millrace.rpc.live.LiveEnv;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The JobManager of a standalone session cluster, as a process. */
public final class JobManagerProcess {
  private JobManagerProcess() {}

  /** Takes {@code key=value} pairs that override the configuration file. */
  public static void main(String[] overrides) {
    System.exit(run(List.of(overrides)));
  }

  /** Runs to the end of the process; returns its exit code. */
  public static int run(List<String> overrides) {
    Configuration configuration =
        ConfigurationFile.load(System.getenv(), ConfigurationFile.home(), overrides);
    return ServerProcess.run("JobManager", configuration, process -> start(configuration, process));
  }

  private static void start(Configuration configuration, ServerProcess process) throws Exception {
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
            configuration.get(Options.ASK_TIMEOUT));
    process.started("RPC at " + rpc.address(), () -> done(rpc::close));

    BlobStore blobs =
        new FileBlobs(
            configuration
                .find(Options.BLOB_DIR)
                .map(Path::of)
                .orElse(directory.path().resolve("blobs")));
    JobManager jobManager =
        new JobManager(
            rpc,
            configuration,
            new JobManager.Backing(blobs, new MemoryHaStore(), new StandaloneDriver()),
            new JobManager.Signals(() -> process.end(ExitCode.SUCCEEDED), process::fatal));
    jobManager.start();
    process.started("JobManager", jobManager::stop);

    ChildPrograms programs = new ChildPrograms();
    RestServer rest =
        new RestServer(
            rpc,
            jobManager.leaders(),
            RestSettings.of(configuration, directory.path()),
            new Uploads(blobs),
            programs::run);
    String restAddress = rest.start().get();
    programs.submitTo(restAddress);
    process.started("REST at " + restAddress, rest::stop);

    Map<String, String> addresses = new LinkedHashMap<>();
    addresses.put("rpc", rpc.address());
    addresses.put("rest", restAddress);
    addresses.put("pid", String.valueOf(ProcessHandle.current().pid()));
    ServerProcess.publish(configuration, addresses);
    System.out.println("JobManager serves REST at http://" + restAddress);
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
