package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.ha.HaStore;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailability;
import io.millrace.core.config.Options;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecoveryDataTest {
  @TempDir Path temporary;

  private Configuration durable() {
    return Configuration.EMPTY
        .with(Options.HA_TYPE, HighAvailability.FILE)
        .with(Options.HA_STORAGE_DIR, temporary.resolve("ha").toString())
        .with(Options.CLUSTER_ID, "mine");
  }

  private Path own() {
    return temporary.resolve("own");
  }

  @Test
  void withoutHighAvailabilityNothingIsKeptOutsideOfTheProcess() throws IOException {
    RecoveryData data = RecoveryData.open(Configuration.EMPTY, own());
    data.store().write("a", Bytes.utf8("x"), HaStore.ABSENT, 1);
    data.blobs().put(Bytes.utf8("blob"));
    data.close(false);

    assertThat(temporary).isDirectoryNotContaining(file -> !file.equals(own()));
    assertThat(RecoveryData.open(Configuration.EMPTY, own()).store().read("a")).isEmpty();
  }

  @Test
  void nextProcessFindsWhatOneThatWasStoppedKept() throws IOException {
    RecoveryData first = RecoveryData.open(durable(), own());
    first.store().write("a", Bytes.utf8("x"), HaStore.ABSENT, 1);
    BlobKey blob = first.blobs().put(Bytes.utf8("blob"));
    first.close(false);

    RecoveryData second = RecoveryData.open(durable(), own());
    assertThat(second.store().read("a")).isPresent();
    assertThat(second.blobs().contains(blob)).isTrue();
    second.close(false);
  }

  @Test
  void applicationThatEndsForGoodLeavesNothing() throws IOException {
    RecoveryData data = RecoveryData.open(durable(), own());
    data.store().write("a", Bytes.utf8("x"), HaStore.ABSENT, 1);
    data.blobs().put(Bytes.utf8("blob"));
    data.close(true);

    assertThat(temporary.resolve("ha")).isEmptyDirectory();
  }

  @Test
  void clustersWithNamesOfTheirOwnDoNotMeet() throws IOException {
    RecoveryData mine = RecoveryData.open(durable(), own());
    assertThatThrownBy(() -> RecoveryData.open(durable(), own()))
        .hasMessageContaining("in use by")
        .hasMessageContaining(Options.CLUSTER_ID.key());
    RecoveryData other = RecoveryData.open(durable().with(Options.CLUSTER_ID, "other"), temporary);
    other.close(false);
    mine.close(false);
  }

  @Test
  void saysWhichOptionIsMissingOrWrong() {
    Configuration nowhere = Configuration.EMPTY.with(Options.HA_TYPE, HighAvailability.FILE);
    assertThatThrownBy(() -> RecoveryData.open(nowhere, own()))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining("high-availability.storageDir");
    for (String name : new String[] {"..", "a/b", "", "/", "//tmp", "/../x", ".hidden"}) {
      assertThatThrownBy(() -> RecoveryData.open(durable().with(Options.CLUSTER_ID, name), own()))
          .as("'%s'", name)
          .hasMessageContaining("high-availability.cluster-id");
    }
  }
}
