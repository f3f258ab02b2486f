package io.millrace.yarn.master;

import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.WorkerId;
import io.millrace.core.memory.DefaultProcessSizes;
import io.millrace.core.tls.ClusterCertificateAuthority;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.live.LiveEnv;
import io.millrace.yarn.launch.StagedFile;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;

/**
 * Runs a {@link YarnDriver} through its life, with {@link TrainingYarn} as YARN, so that its
 * process loads the classes that a JobManager loads. For the class archive of containers.
 */
public final class DriverTraining {
  private static final long TIMEOUT_SECONDS = 30;
  private static final String PASSWORD = "training";

  private DriverTraining() {}

  /** Returns when a container was started and the application is over. */
  public static void run() throws Exception {
    Configuration configuration = DefaultProcessSizes.in(Configuration.EMPTY);
    Instant now = Instant.now();
    WorkerLauncher launcher =
        new KeyIssuingLauncher(
            ClusterCertificateAuthority.create("training", now),
            PASSWORD,
            new TaskManagerLaunch(
                configuration,
                List.of(
                    new StagedFile(
                        "file",
                        URI.create("hdfs://localhost/file"),
                        1,
                        now.toEpochMilli(),
                        LocalResourceType.ARCHIVE,
                        LocalResourceVisibility.APPLICATION,
                        true)),
                List.of("library.jar"),
                Optional.of("archive"),
                Optional.empty(),
                Optional.of("user")));
    LiveEnv env = new LiveEnv("cds-training");
    Started events = new Started();
    try (TrainingYarn yarn = new TrainingYarn()) {
      YarnDriver driver =
          new YarnDriver(
              env,
              new HadoopMasterClient(
                  new ApplicationMasterContext(
                      yarn.settings(),
                      TrainingYarn.APPLICATION.toString(),
                      yarn.user(),
                      Optional.empty(),
                      new Credentials()),
                  configuration,
                  env::wallMillis),
              new YarnDriverSettings(
                  TrainingYarn.APPLICATION.toString(),
                  configuration,
                  new ApplicationMasterAddress("localhost", 1, "http://localhost:1")),
              launcher);
      driver.start(events).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      driver.request(1, WorkerSpec.of(configuration));
      events.worker.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      yarn.started().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      driver
          .stop(new DriverTermination.Over(ApplicationStatus.SUCCEEDED, ""))
          .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } finally {
      env.close();
    }
  }

  private static final class Started implements WorkerEvents {
    private final CompletableFuture<WorkerId> worker = new CompletableFuture<>();

    @Override
    public void started(long request, WorkerId worker) {
      this.worker.complete(worker);
    }

    @Override
    public void failed(long request, Reason reason) {
      worker.completeExceptionally(new IllegalStateException(reason.toString()));
    }

    @Override
    public void broken(Throwable cause) {
      worker.completeExceptionally(cause);
    }

    @Override
    public void ended(WorkerId worker, Reason reason) {}

    @Override
    public void waits(Optional<Reason> reason) {}

    @Override
    public void draining(WorkerId worker, Reason reason, Duration within) {}

    @Override
    public void unreliable(String node, Reason reason, Duration time) {}
  }
}
