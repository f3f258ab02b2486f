package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.LeaderRecord;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.testplugin.MaskedFiles;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.leader.LeaderDirectory;
import io.millrace.rpc.manual.ManualEnv;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HighAvailabilityServicesTest {
  private static final Optional<EndedApplication> ENDED =
      Optional.of(new EndedApplication(0, ApplicationOutcome.SHUT_DOWN));

  @TempDir Path temporary;

  private Configuration durable() {
    return Configuration.EMPTY
        .with(HighAvailabilityOptions.HA_MODE, HighAvailabilityOptions.FILE)
        .with(HighAvailabilityOptions.HA_STORAGE_PATH, temporary.resolve("ha").toString())
        .with(HighAvailabilityOptions.HA_CLUSTER_ID, "mine");
  }

  private Path own() {
    return temporary.resolve("own");
  }

  private static HighAvailabilityServices open(Configuration configuration, Path own)
      throws IOException {
    return HighAvailabilityServices.open(configuration, own, FileSystems.withoutPlugins());
  }

  @Test
  void withoutHighAvailabilityDataIsInProcessDirectory() throws IOException {
    HighAvailabilityServices data = open(Configuration.EMPTY, own());
    data.store().write("a", Bytes.utf8("x"), HaStore.ABSENT, 1);
    data.blobs().put(Bytes.utf8("blob"));
    data.close(Optional.empty());

    assertThat(temporary).isDirectoryNotContaining(file -> !file.equals(own()));
    assertThat(open(Configuration.EMPTY, own()).store().read("a")).isEmpty();
  }

  @Test
  @Behaviour("B3: recovery data is removed only when the application ends for good")
  void nextProcessFindsDataOfStoppedProcess() throws IOException {
    HighAvailabilityServices first = open(durable(), own());
    first.store().write("a", Bytes.utf8("x"), HaStore.ABSENT, 1);
    BlobKey blob = first.blobs().put(Bytes.utf8("blob"));
    first.close(Optional.empty());

    HighAvailabilityServices second = open(durable(), own());
    assertThat(second.store().read("a")).isPresent();
    assertThat(second.blobs().contains(blob)).isTrue();
    second.close(Optional.empty());
  }

  @Test
  @Behaviour("B3: recovery data is removed only when the application ends for good")
  void endOfApplicationDeletesData() throws IOException {
    HighAvailabilityServices data = open(durable(), own());
    data.store().write("a", Bytes.utf8("x"), HaStore.ABSENT, 1);
    data.blobs().put(Bytes.utf8("blob"));
    data.close(ENDED);

    assertThat(temporary.resolve("ha")).isEmptyDirectory();
  }

  @Test
  void clustersWithDifferentIdsAreIndependent() throws IOException {
    HighAvailabilityServices mine = open(durable(), own());
    assertThatThrownBy(() -> open(durable(), own()))
        .hasMessageContaining("in use by")
        .hasMessageContaining(HighAvailabilityOptions.HA_CLUSTER_ID.key());
    HighAvailabilityServices other =
        open(durable().with(HighAvailabilityOptions.HA_CLUSTER_ID, "other"), temporary);
    other.close(Optional.empty());
    mine.close(Optional.empty());
  }

  @Test
  void namesMissingOrInvalidOption() {
    Configuration nowhere =
        Configuration.EMPTY.with(HighAvailabilityOptions.HA_MODE, HighAvailabilityOptions.FILE);
    assertThatThrownBy(() -> open(nowhere, own()))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining("high-availability.storageDir");
    for (String name : new String[] {"..", "a/b", "", "/", "//tmp", "/../x", ".hidden"}) {
      assertThatThrownBy(
              () -> open(durable().with(HighAvailabilityOptions.HA_CLUSTER_ID, name), own()))
          .as("'%s'", name)
          .hasMessageContaining("high-availability.cluster-id");
    }
  }

  @Test
  void acceptsUriOfLocalDirectory() throws IOException {
    Configuration asUri =
        durable()
            .with(HighAvailabilityOptions.HA_STORAGE_PATH, "file://" + temporary.resolve("ha"));
    HighAvailabilityServices data = open(asUri, own());
    assertThatThrownBy(() -> open(durable(), own())).hasMessageContaining("in use by");
    data.close(Optional.empty());
  }

  // --- on a shared file system, which a plugin provides

  private Plugins plugins() throws IOException {
    Path plugins = Files.createDirectories(temporary.resolve("plugins"));
    MaskedFiles.write(plugins, "masked", "masked", 0);
    return Plugins.load(plugins, List.of());
  }

  private Configuration shared() {
    return durable()
        .with(HighAvailabilityOptions.HA_STORAGE_PATH, "masked://" + temporary.resolve("ha"));
  }

  @Test
  @Behaviour(
      "C1: a JobManager ends when another one takes over its stored jobs, and removes nothing")
  void jobManagerOnOtherMachineTakesOverDataAndNotifiesEarlierOne() throws Exception {
    ManualEnv env = new ManualEnv();
    try (Plugins plugins = plugins()) {
      FileSystems files = FileSystems.of(plugins, Configuration.EMPTY);
      HighAvailabilityServices first =
          HighAvailabilityServices.open(shared(), temporary.resolve("one"), files);
      List<Throwable> lost = new ArrayList<>();
      first.lead(env, new LeaderRecord("one:1", "one:2"), lost::add);
      first.store().write("a", Bytes.utf8("x"), HaStore.ABSENT, 1);
      BlobKey blob = first.blobs().put(Bytes.utf8("blob"));
      JobId job = new JobId(new Id128(1, 2));
      first.archive().put(job, Bytes.utf8("page"));
      env.advance(Duration.ofMinutes(1));
      assertThat(lost).isEmpty();

      HighAvailabilityServices second =
          HighAvailabilityServices.open(shared(), temporary.resolve("two"), files);

      assertThat(second.store().read("a")).isPresent();
      assertThat(second.blobs().readAll(blob)).isEqualTo(Bytes.utf8("blob"));
      assertThat(second.archive().find(job, 10)).contains(Bytes.utf8("page"));
      env.advance(Duration.ofSeconds(2));
      assertThat(lost).hasSize(1);
      assertThat(lost.get(0)).hasMessageContaining("Another JobManager has taken over");
      // A JobManager that has lost its directory deletes nothing, although its application has
      // ended.
      assertThatThrownBy(() -> first.close(ENDED)).hasRootCauseInstanceOf(IOException.class);
      assertThat(second.store().read("a")).isPresent();

      second.close(ENDED);
      assertThat(temporary.resolve("ha")).isEmptyDirectory();
    }
  }

  @Test
  void endOfApplicationIsNoTakeOver() throws Exception {
    ManualEnv env = new ManualEnv();
    try (Plugins plugins = plugins()) {
      HighAvailabilityServices data =
          HighAvailabilityServices.open(
              shared(), own(), FileSystems.of(plugins, Configuration.EMPTY));
      List<Throwable> lost = new ArrayList<>();
      data.lead(env, new LeaderRecord("one:1", "one:2"), lost::add);
      data.close(ENDED);
      env.advance(Duration.ofMinutes(1));
      assertThat(lost).isEmpty();
    }
  }

  @Test
  @Behaviour(
      "G3: a JobManager that restarts on another machine and other ports recovers its jobs and"
          + " TaskManagers")
  void taskManagersFollowLeader() throws Exception {
    ManualEnv env = new ManualEnv();
    InProcessNetwork network = new InProcessNetwork();
    Rpc worker = new Rpc(env, network.join("worker"), Duration.ofSeconds(10));
    Configuration local =
        durable().with(JobManagerOptions.ADDRESS, "main").with(JobManagerOptions.PORT, 1);
    List<String> asked = new ArrayList<>();
    for (String process : List.of("main:1", "one:1", "two:1")) {
      Rpc rpc = new Rpc(env, network.join(process), Duration.ofSeconds(10));
      new LeaderDirectory(
              rpc,
              (component, mailbox, listener) -> {
                asked.add(process);
                return () -> {};
              })
          .start();
    }
    try (Plugins plugins = plugins()) {
      FileSystems files = FileSystems.of(plugins, Configuration.EMPTY);
      for (Configuration kind : List.of(local, shared())) {
        asked.clear();
        JobManagerLookup.of(kind, files, worker).follow("a", env.mailbox("test"), leader -> {});
        env.advance(Duration.ofSeconds(1));
        assertThat(asked)
            .as("no leader record: a local disk means the configured address")
            .isEqualTo(kind.equals(local) ? List.of("main:1") : List.of());

        HighAvailabilityServices first =
            HighAvailabilityServices.open(kind, temporary.resolve("one"), files);
        first.lead(env, new LeaderRecord("one:1", "one:2"), lost -> {});
        first.close(Optional.empty());
        asked.clear();
        JobManagerLookup.of(kind, files, worker).follow("a", env.mailbox("test"), leader -> {});
        env.advance(Duration.ofSeconds(1));
        assertThat(asked).contains("one:1");

        HighAvailabilityServices second =
            HighAvailabilityServices.open(kind, temporary.resolve("two"), files);
        second.lead(env, new LeaderRecord("two:1", "two:2"), lost -> {});
        asked.clear();
        JobManagerLookup.of(kind, files, worker).follow("a", env.mailbox("test"), leader -> {});
        env.advance(Duration.ofSeconds(1));
        assertThat(asked).contains("two:1");
        second.close(ENDED);
      }
    }
  }
}
