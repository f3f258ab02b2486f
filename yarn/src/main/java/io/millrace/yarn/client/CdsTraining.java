package io.millrace.yarn.client;

import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.security.RestToken;
import io.millrace.core.tls.ClusterCertificateAuthority;
import io.millrace.protocol.Messages;
import io.millrace.rpc.Address;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.grpc.GrpcSettings;
import io.millrace.rpc.grpc.GrpcTransport;
import io.millrace.rpc.leader.LeaderDirectory;
import io.millrace.rpc.leader.LeaderDirectoryGateway;
import io.millrace.rpc.live.LiveEnv;
import io.millrace.yarn.launch.ContainerLaunch;
import io.millrace.yarn.launch.ContainerLayout;
import io.millrace.yarn.launch.SecretFiles;
import io.millrace.yarn.master.DriverTraining;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Loads the classes that a JobManager loads at its start, by the same calls without a real YARN.
 * {@link CdsArchive} records them.
 */
final class CdsTraining {
  /** No process listens there. */
  private static final String UNUSED_ADDRESS = "127.0.0.1:1";

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** Of a cluster that exists for a moment. */
  private static final Bytes SECRET = Bytes.utf8(RestToken.random());

  private CdsTraining() {}

  public static void main(String[] arguments) throws Exception {
    callOverTls();
    useHdfs();
    DriverTraining.run();
    // Threads of Hadoop's servers may be left.
    System.exit(0);
  }

  /** A TaskManager with a key from the JobManager calls the JobManager. */
  private static void callOverTls() throws Exception {
    ClusterSecrets secrets = new ClusterSecrets("cds-training");
    Map<String, byte[]> master = secrets.ofMaster(Configuration.EMPTY);
    Configuration configuration = secrets.in(Configuration.EMPTY).with(JobManagerOptions.PORT, 0);
    String password = configuration.get(TlsOptions.KEYSTORE_PASSWORD);
    byte[] worker =
        ClusterCertificateAuthority.read(master.get(ContainerLayout.AUTHORITY), password)
            .issue("worker", password, Instant.now());
    java.nio.file.Path directory = Files.createTempDirectory("cds-training");
    LiveEnv env = new LiveEnv("cds-training");
    try (Rpc called =
            rpc(
                env,
                unpacked(configuration, directory.resolve("master"), master),
                GrpcSettings.Role.JOB_MANAGER);
        Rpc caller =
            rpc(
                env,
                unpacked(
                    configuration,
                    directory.resolve("worker"),
                    Map.of(ContainerLayout.KEY_STORE, worker)),
                GrpcSettings.Role.TASK_MANAGER)) {
      caller
          .gateway(
              LeaderDirectoryGateway.class,
              new Address(called.address(), LeaderDirectory.NAME),
              Optional.empty(),
              env.mailbox("cds-training"),
              TIMEOUT)
          .awaitLeader(new LeaderDirectoryGateway.AwaitLeader("cds-training", Optional.empty()))
          // There is no leader. Any answer is enough.
          .handle((answer, failure) -> called)
          .get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } finally {
      env.close();
      try (Stream<java.nio.file.Path> files = Files.walk(directory)) {
        for (java.nio.file.Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /** The configuration of a process with these secrets in its container. */
  private static Configuration unpacked(
      Configuration configuration, java.nio.file.Path container, Map<String, byte[]> secrets)
      throws IOException {
    ContainerLaunch launch = new ContainerLaunch(List.of(), Map.of(), List.of()).with(secrets);
    ByteBuffer tokens = launch.context(ByteBuffer.allocate(0)).getTokens();
    byte[] bytes = new byte[tokens.remaining()];
    tokens.get(bytes);
    java.nio.file.Path file = Files.createDirectories(container).resolve("tokens");
    Files.write(file, bytes);
    SecretFiles.unpack(
        Map.of(ApplicationConstants.CONTAINER_TOKEN_FILE_ENV_NAME, file.toString()), container);
    java.nio.file.Path store = container.resolve(ContainerLayout.KEY_STORE);
    return configuration.with(TlsOptions.KEYSTORE, store).with(TlsOptions.TRUSTSTORE, store);
  }

  private static Rpc rpc(LiveEnv env, Configuration tls, GrpcSettings.Role role) {
    return new Rpc(
        env,
        new GrpcTransport(
            GrpcSettings.from(tls, role, SECRET), Messages.codec(), Messages::isHeartbeat),
        TIMEOUT);
  }

  private static void useHdfs() {
    YarnConfiguration settings = new YarnConfiguration();
    settings.setInt("ipc.client.connect.max.retries", 0);
    settings.setInt("dfs.client.failover.max.attempts", 0);
    expectConnectionFailure(
        () -> {
          Path file = new Path("hdfs://" + UNUSED_ADDRESS + "/file");
          try (FileSystem files = file.getFileSystem(settings)) {
            return files.exists(file);
          }
        });
  }

  private interface Call {
    Object make() throws IOException;
  }

  private static void expectConnectionFailure(Call call) {
    try {
      call.make();
      throw new IllegalStateException("A process answers at " + UNUSED_ADDRESS);
    } catch (IOException expected) {
      // The classes for a call are loaded.
      return;
    }
  }
}
