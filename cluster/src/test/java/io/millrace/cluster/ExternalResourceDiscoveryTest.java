package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.resource.ExternalResourceDriver;
import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.core.config.Configuration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExternalResourceDiscoveryTest {
  @TempDir Path directory;

  private static Configuration gpus(int amount) {
    return Configuration.EMPTY
        .with("external-resources", "gpu")
        .with("external-resource.gpu.amount", String.valueOf(amount));
  }

  private Path script(String text) throws IOException {
    Path script = directory.resolve("find.sh");
    Files.writeString(script, "#!/bin/sh\n" + text + "\n");
    return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
  }

  private static Configuration by(Path script, int amount) {
    return gpus(amount)
        .with("external-resource.gpu.param.discovery-script.path", script.toString());
  }

  private static List<String> indexes(Configuration configuration) {
    return ExternalResourceDiscovery.in(configuration).get("gpu").stream()
        .map(info -> info.property(ExternalResourceInfo.INDEX).orElseThrow())
        .toList();
  }

  @Test
  void readsConfiguredNumberOfIndexesFromScript() throws IOException {
    assertThat(indexes(by(script("echo 3; echo; echo 5,7"), 2))).containsExactly("3", "5");
    assertThat(indexes(by(script("echo 3; echo; echo 5,7"), 3))).containsExactly("3", "5", "7");
  }

  @Test
  void passesAmountAndArgumentsToScript() throws IOException {
    Configuration configuration =
        by(script("echo $1-$2-$3-$#"), 1)
            .with("external-resource.gpu.param.discovery-script.args", " a  bc ");
    assertThat(indexes(configuration)).containsExactly("1-a-bc-3");
  }

  @Test
  void reportsTooFewResources() throws IOException {
    Configuration two = by(script("echo 0"), 2);
    assertThatThrownBy(() -> ExternalResourceDiscovery.in(two))
        .hasMessageContaining("This machine has 1 of external resource 'gpu'")
        .hasMessageContaining("external-resource.gpu.amount says 2");
  }

  @Test
  void reportsErrorOfScript() throws IOException {
    Configuration failing = by(script("echo no such card >&2; exit 4"), 1);
    assertThatThrownBy(() -> ExternalResourceDiscovery.in(failing))
        .hasMessageContaining("The discovery of external resource 'gpu' failed")
        .hasMessageContaining("ended with code 4: no such card");
    Configuration missing = by(directory.resolve("none.sh"), 1);
    assertThatThrownBy(() -> ExternalResourceDiscovery.in(missing))
        .hasMessageContaining("does not exist");
    Files.writeString(directory.resolve("plain.txt"), "");
    Configuration plain = by(directory.resolve("plain.txt"), 1);
    assertThatThrownBy(() -> ExternalResourceDiscovery.in(plain))
        .hasMessageContaining("not executable");
  }

  @Test
  void showsErrorInAnotherCharacterSet() throws IOException {
    Configuration failing = by(script("printf 'Ger\\344t fehlt' >&2; exit 4"), 1);
    assertThatThrownBy(() -> ExternalResourceDiscovery.in(failing))
        .hasMessageContaining("ended with code 4: Ger")
        .hasMessageContaining("t fehlt");
  }

  @Test
  void readsIndexesInAnotherCharacterSet() throws IOException {
    assertThat(indexes(by(script("printf '0,\\344\\n'"), 1))).containsExactly("0");
  }

  @Test
  void limitsWhatItReadsOfScript() throws IOException {
    Configuration talkative = by(script("head -c 3000000 /dev/zero | tr '\\0' x >&2; exit 4"), 1);
    assertThatThrownBy(() -> ExternalResourceDiscovery.in(talkative))
        .satisfies(failure -> assertThat(failure.getMessage()).hasSizeLessThan(1000));
    assertThat(indexes(by(script("yes 1 | head -c 3000000"), 4)))
        .containsExactly("1", "1", "1", "1");
  }

  @Test
  void killsScriptAfterTimeout() throws IOException {
    Path endless = script("sleep 600");
    assertThatThrownBy(
            () ->
                new DiscoveryScript(Duration.ofMillis(200))
                    .retrieveResourceInfo(1, Map.of("discovery-script.path", endless.toString())))
        .hasMessageContaining("did not end within 200 ms");
  }

  /** Returns the requested amount of resources with the configured vendor. */
  public static final class Vendor implements ExternalResourceDriver {
    @Override
    public List<ExternalResourceInfo> retrieveResourceInfo(
        long amount, Map<String, String> parameters) {
      return List.of(new ExternalResourceInfo(parameters));
    }
  }

  @Test
  void usesConfiguredDriverClass() {
    Configuration configuration =
        gpus(1)
            .with("external-resource.gpu.driver-factory.class", Vendor.class.getName())
            .with("external-resource.gpu.param.vendor", "any");
    assertThat(ExternalResourceDiscovery.in(configuration).get("gpu"))
        .containsExactly(new ExternalResourceInfo(Map.of("vendor", "any")));
  }

  @Test
  void reportsRequirementsOfDriverClass() {
    for (String type : List.of("com.example.None", String.class.getName())) {
      Configuration configuration =
          gpus(1).with("external-resource.gpu.driver-factory.class", type);
      assertThatThrownBy(() -> ExternalResourceDiscovery.in(configuration))
          .hasMessageContaining("external-resource.gpu.driver-factory.class")
          .hasMessageContaining(ExternalResourceDriver.class.getName());
    }
  }

  @Test
  void countsResourcesWithoutDiscovery() {
    assertThat(ExternalResourceDiscovery.in(gpus(2))).isEmpty();
    assertThat(HostResources.shared(gpus(2)).total().count("gpu")).isEqualTo(2);
  }
}
