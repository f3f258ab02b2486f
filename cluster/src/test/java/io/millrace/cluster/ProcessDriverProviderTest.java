package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cluster.process.ProcessDriver;
import io.millrace.control.driver.CustomWorkerSizes;
import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.Drivers;
import io.millrace.control.driver.StandaloneDriver;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ProcessOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.WorkerId;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.live.LiveEnv;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessDriverProviderTest {
  @TempDir private Path directory;
  private final LiveEnv env = new LiveEnv("test");

  @Test
  @Behaviour("A7: the driver is found by its name")
  void driverIsChosenByName() {
    assertThat(chosen(Configuration.EMPTY)).isInstanceOf(StandaloneDriver.class);
    assertThat(chosen(Configuration.EMPTY.with(ResourceManagerOptions.DRIVER, "process")))
        .isInstanceOf(ProcessDriver.class);
    assertThatThrownBy(
            () -> chosen(Configuration.EMPTY.with(ResourceManagerOptions.DRIVER, "yarm")))
        .isInstanceOf(MillraceException.class)
        .hasMessage(
            "There is no driver 'yarm' (resourcemanager.driver). Choose one of: process,"
                + " standalone.");
  }

  @Test
  void limitIsConfiguredOrOnePerProcessor() throws Exception {
    assertThat(
            capabilities(configuration().with(ProcessOptions.MAX_TASK_MANAGERS, 3))
                .startable()
                .orElseThrow())
        .satisfies(
            startable -> {
              assertThat(startable.most()).isEqualTo(3);
              assertThat(startable.limit()).isEqualTo("process.max-taskmanagers");
            });
    assertThat(capabilities(configuration()).startable().orElseThrow().most())
        .isEqualTo(Runtime.getRuntime().availableProcessors());
  }

  @Test
  void startsLargerWorkersUpToSizeOfMachine() throws Exception {
    Startable startable = capabilities(configuration()).startable().orElseThrow();
    CustomWorkerSizes larger = startable.larger().orElseThrow();
    assertThat(larger.where()).isEqualTo("this machine");
    assertThat(larger.cpuCores()).isEqualTo(Runtime.getRuntime().availableProcessors());
    assertThat(larger.memory()).isEqualTo(HostResources.physicalMemory()).isPositive();
    // CPU cores of the configured workers are also available to larger ones.
    assertThat(
            capabilities(configuration().with(TaskManagerOptions.CPU_CORES, 1000))
                .startable()
                .orElseThrow())
        .satisfies(other -> assertThat(other.larger().orElseThrow().cpuCores()).isEqualTo(1000));
  }

  @AfterEach
  void closeEnv() {
    env.close();
  }

  private WorkerDriver chosen(Configuration configuration) {
    return Drivers.of(Plugins.NONE).chosen(configuration, env);
  }

  private Configuration configuration() {
    return Configuration.EMPTY
        .with(ResourceManagerOptions.DRIVER, "process")
        .with(ProcessOptions.DIRECTORY, directory);
  }

  private DriverCapabilities capabilities(Configuration configuration) throws Exception {
    WorkerDriver driver = chosen(configuration);
    DriverCapabilities capabilities =
        driver.start(new UnexpectedEvents()).get(30, TimeUnit.SECONDS);
    driver
        .stop(new DriverTermination.Over(ApplicationStatus.SUCCEEDED, ""))
        .get(30, TimeUnit.SECONDS);
    return capabilities;
  }

  /** Fails on each event: without requests there are none. */
  private static final class UnexpectedEvents implements WorkerEvents {
    @Override
    public void started(long request, WorkerId worker) {
      throw new AssertionError("Nothing was asked for");
    }

    @Override
    public void failed(long request, Reason reason) {
      throw new AssertionError("Nothing was asked for");
    }

    @Override
    public void ended(WorkerId worker, Reason reason) {
      throw new AssertionError("Nothing was asked for");
    }

    @Override
    public void waits(Optional<Reason> reason) {
      throw new AssertionError("Nothing was asked for");
    }

    @Override
    public void draining(WorkerId worker, Reason reason, Duration within) {
      throw new AssertionError("Nothing was asked for");
    }

    @Override
    public void unreliable(String node, Reason reason, Duration time) {
      throw new AssertionError("Nothing was asked for");
    }

    @Override
    public void broken(Throwable cause) {
      throw new AssertionError(cause);
    }
  }
}
