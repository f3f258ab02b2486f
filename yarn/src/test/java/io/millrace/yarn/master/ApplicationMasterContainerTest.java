package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cluster.PerJobProcess;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.config.RestAuthentication;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.error.MillraceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApplicationMasterContainerTest {
  private static final String CONTAINER = "container_e01_1794830648323_0005_02_000001";

  @TempDir private Path directory;

  @Test
  void portsAndRangesOfTheUserAreKept() {
    Configuration located =
        container("127.0.0.1")
            .located(
                Configuration.EMPTY
                    .with(RestOptions.PORT, "50100-50110")
                    .with(JobManagerOptions.PORT, "50200"));
    assertThat(located.get(RestOptions.PORT)).hasToString("50100-50110");
    assertThat(located.get(JobManagerOptions.PORT)).hasToString("50200");
  }

  @Test
  void addressIsTheHostOfTheNodeWithFreePorts() {
    Configuration located = container("127.0.0.1").located(Configuration.EMPTY);
    assertThat(located.get(ResourceManagerOptions.DRIVER)).isEqualTo("yarn");
    assertThat(located.get(JobManagerOptions.ADDRESS)).isEqualTo("127.0.0.1");
    assertThat(located.get(JobManagerOptions.BIND_HOST)).isEqualTo("127.0.0.1");
    assertThat(located.get(JobManagerOptions.PORT).isAny()).isTrue();
    assertThat(located.get(RestOptions.ADDRESS)).isEqualTo("127.0.0.1");
    assertThat(located.get(RestOptions.PORT).isAny()).isTrue();
    // Also if clusters of the client on loopback need no token.
    assertThat(located.get(SecurityOptions.REST_AUTHENTICATION))
        .isEqualTo(RestAuthentication.TOKEN);
    assertThat(
            container("127.0.0.1")
                .located(
                    Configuration.EMPTY.with(
                        SecurityOptions.REST_AUTHENTICATION, RestAuthentication.PEER))
                .get(SecurityOptions.REST_AUTHENTICATION))
        .isEqualTo(RestAuthentication.TOKEN);
    assertThat(located.get(CoreOptions.TMP_DIRS)).isEqualTo(directory.resolve("tmp").toString());
  }

  @Test
  void clusterIdIsTheApplicationIdUnlessConfigured() {
    ApplicationMasterContainer container = container("localhost");
    assertThat(container.located(Configuration.EMPTY).get(HighAvailabilityOptions.HA_CLUSTER_ID))
        .isEqualTo("application_1794830648323_0005");
    assertThat(
            container
                .located(Configuration.EMPTY.with(HighAvailabilityOptions.HA_CLUSTER_ID, "mine"))
                .get(HighAvailabilityOptions.HA_CLUSTER_ID))
        .isEqualTo("mine");
  }

  @Test
  void bindsAllInterfacesOnlyForAHostNameThatIsNotLoopback() {
    Configuration secured = Configuration.EMPTY.with(TlsOptions.INTERNAL_ENABLED, true);
    assertThat(BindAddresses.toBind("localhost", secured)).isEqualTo("127.0.0.1");
    assertThat(BindAddresses.toBind("192.0.2.1", secured)).isEqualTo("0.0.0.0");
    assertThat(BindAddresses.toBind("192.0.2.1", Configuration.EMPTY)).isEqualTo("0.0.0.0");
  }

  @Test
  void stagedJobHasItsGraphItsJarsAndItsCachedFiles() throws Exception {
    Files.createDirectory(directory.resolve("usrlib"));
    for (String name : List.of("b.jar", "a.jar", "cached")) {
      Files.createFile(directory.resolve("usrlib").resolve(name));
    }
    PerJobProcess.StagedJob work = container("localhost").stagedJob(Duration.ZERO);
    assertThat(work.graph()).isEqualTo(directory.resolve("application/job.graph"));
    assertThat(work.jars())
        .containsExactly(
            directory.resolve("usrlib/a.jar"),
            directory.resolve("usrlib/b.jar"),
            directory.resolve("usrlib/cached"));
  }

  @Test
  void missingVariableNamesTheCommandThatSetsIt() {
    assertThatThrownBy(
            () -> new ApplicationMasterContainer(Map.of(), directory).located(Configuration.EMPTY))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("NM_HOST")
        .hasMessageContaining("yarn-per-job");
  }

  private ApplicationMasterContainer container(String host) {
    return new ApplicationMasterContainer(
        Map.of("NM_HOST", host, "CONTAINER_ID", CONTAINER), directory);
  }
}
