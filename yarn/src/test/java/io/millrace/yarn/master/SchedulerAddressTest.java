package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SchedulerAddressTest {
  private static final String ADDRESS = "yarn.resourcemanager.scheduler.address";

  @TempDir private Path node;

  @Test
  @Behaviour("D9: in a federation the JobManager uses the scheduler address of its node")
  void addressOfTheNodeReplacesThatOfTheClient() throws IOException {
    write(Map.of(ADDRESS, "localhost:8049", "yarn.resourcemanager.address", "other:8032"));
    YarnConfiguration located = SchedulerAddress.in(client(), Optional.of(node));
    assertThat(located.get(ADDRESS)).isEqualTo("localhost:8049");
    assertThat(located.get("yarn.resourcemanager.address")).isEqualTo("router:8050");
    assertThat(client().get(ADDRESS)).isEqualTo("router:8030");
  }

  @Test
  void proxyOfTheNodeIsUsedWithoutAnAddressAndInsteadOfFailover() throws IOException {
    write(
        Map.of(
            "yarn.nodemanager.amrmproxy.enabled",
            "true",
            "yarn.nodemanager.amrmproxy.address",
            "0.0.0.0:9049"));
    YarnConfiguration client = client();
    client.setBoolean(YarnConfiguration.RM_HA_ENABLED, true);
    YarnConfiguration located = SchedulerAddress.in(client, Optional.of(node));
    assertThat(located.get(ADDRESS)).isEqualTo("localhost:9049");
    assertThat(located.getBoolean(YarnConfiguration.RM_HA_ENABLED, true)).isFalse();
  }

  @Test
  void nodeThatSetsNothingChangesNothing() throws IOException {
    assertThat(SchedulerAddress.in(client(), Optional.empty()).get(ADDRESS))
        .isEqualTo("router:8030");
    assertThat(SchedulerAddress.in(client(), Optional.of(node)).get(ADDRESS))
        .isEqualTo("router:8030");
    write(Map.of("yarn.nodemanager.address", "here:1"));
    assertThat(SchedulerAddress.in(client(), Optional.of(node)).get(ADDRESS))
        .isEqualTo("router:8030");
  }

  private static YarnConfiguration client() {
    YarnConfiguration client = new YarnConfiguration();
    client.set("yarn.resourcemanager.address", "router:8050");
    client.set(ADDRESS, "router:8030");
    return client;
  }

  private void write(Map<String, String> properties) throws IOException {
    Configuration site = new Configuration(false);
    properties.forEach(site::set);
    try (Writer out =
        Files.newBufferedWriter(node.resolve("yarn-site.xml"), StandardCharsets.UTF_8)) {
      site.writeXml(out);
    }
  }
}
