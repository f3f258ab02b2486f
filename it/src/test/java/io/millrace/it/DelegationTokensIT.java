package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.TokenJob;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.security.DelegationTokenProvider;
import io.millrace.core.security.DelegationTokenReceiver;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.testplugin.TestPlugin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Delegation tokens of a plugin, from the JobManager to the functions of a job. */
class DelegationTokensIT {
  private static final String GRANARY =
      """
      package com.example;

      import io.millrace.core.Bytes;
      import io.millrace.core.config.Configuration;
      import io.millrace.core.security.DelegationToken;
      import io.millrace.core.security.DelegationTokenProvider;
      import io.millrace.core.security.DelegationTokenReceiver;
      import java.io.IOException;
      import java.nio.charset.StandardCharsets;
      import java.time.Instant;
      import java.util.Optional;
      import java.util.concurrent.atomic.AtomicInteger;

      public final class Granary implements DelegationTokenProvider, DelegationTokenReceiver {
        private static final AtomicInteger NUMBER = new AtomicInteger();

        @Override
        public String serviceName() {
          return "granary";
        }

        @Override
        public Optional<DelegationToken> obtain(Configuration configuration) throws IOException {
          if (configuration.entries().containsKey(
              "security.delegation.token.provider.granary.closed")) {
            throw new IOException("the granary is closed");
          }
          return Optional.of(
              new DelegationToken(
                  Bytes.utf8("hush-" + NUMBER.incrementAndGet()),
                  Optional.of(Instant.now().plusSeconds(4))));
        }

        @Override
        public void received(Bytes token) {
          System.setProperty(
              "granary.token", new String(token.toArray(), StandardCharsets.UTF_8));
        }
      }
      """;

  @RegisterExtension static final Shell SHELL = new Shell();
  @TempDir Path directory;

  @BeforeEach
  void install() throws IOException {
    TestPlugin.in(plugins(), "granary")
        .source("com.example.Granary", GRANARY)
        .service(DelegationTokenProvider.class, "com.example.Granary")
        .service(DelegationTokenReceiver.class, "com.example.Granary")
        .write();
  }

  @Test
  @Behaviour(
      "B5: a TaskManager gets all tokens with the answer to its registration and installs them"
          + " before its slot report")
  @Behaviour("B5: the content of a token appears in no log, journal or text of a message")
  void tasksOnEveryTaskManagerSeeTheFirstTokenAndTheRenewedOnes() throws Exception {
    Path jar = ProgramJar.of(directory, TokenJob.class);
    try (Cluster cluster =
        SHELL.startCluster(environment(), "--taskmanagers", "2", "--slots", "1")) {
      List<String> seen =
          cluster.run(jar.toString(), "2").succeeded().out().stream()
              .filter(line -> line.contains("hush-"))
              .toList();
      assertThat(seen).hasSize(2).allMatch(line -> line.matches("hush-\\d+ then hush-\\d+"));
      try (Stream<Path> logs = Files.list(cluster.directory().resolve("log"))) {
        for (Path log : logs.toList()) {
          assertThat(Files.readString(log)).as("%s", log).doesNotContain("hush-");
        }
      }
      assertThat(Files.readString(cluster.directory().resolve("log/taskmanager-1.log")))
          .containsSubsequence(
              "Delegation tokens: [granary]",
              "Security context: no login",
              "RPC at",
              "uses new delegation tokens: [IssuedToken[granary]]");
      assertThat(Files.readString(cluster.directory().resolve("log/jobmanager.log")))
          .containsSubsequence(
              "Obtaining delegation tokens for [granary]",
              "The token of 'granary' was obtained.",
              "resourcemanager is the leader with token");
    }
  }

  @Test
  void embeddedClusterHasTokens() throws Exception {
    Path jar = ProgramJar.of(directory, TokenJob.class);
    assertThat(SHELL.millrace(environment(), "run", jar.toString(), "1").succeeded().out())
        .anyMatch(line -> line.matches("hush-\\d+ then hush-\\d+"));
  }

  @Test
  @Behaviour(
      "B5: a first token that cannot be obtained ends the process with an error that names the"
          + " provider")
  void jobManagerWithoutAFirstTokenExitsAndNamesTheProvider() throws Exception {
    Outcome ended =
        SHELL.millrace(
            environment(),
            "jobmanager",
            "-D",
            "rest.port=0",
            "-D",
            "jobmanager.rpc.port=0",
            "-D",
            "io.tmp.dirs=" + directory,
            "-D",
            "security.delegation.token.provider.granary.closed=today");
    assertThat(ended.code()).isEqualTo(2);
    assertThat(ended.err())
        .anyMatch(
            line ->
                line.contains("No delegation token for 'granary'")
                    && line.contains("plugin 'granary' in " + plugins())
                    && line.contains("the granary is closed"));
  }

  private Path plugins() {
    return directory.resolve("plugins");
  }

  private Map<String, String> environment() {
    return Map.of(Plugins.DIRECTORY_VARIABLE, plugins().toString());
  }
}
