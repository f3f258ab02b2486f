package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestTokenStoreTest {
  private static final String APPLICATION = "application_1_0001";

  @TempDir private Path directory;

  @Test
  void keptTokenIsFoundUntilItIsForgotten() {
    RestTokenStore store = RestTokenStore.in(directory.resolve("tokens"));
    assertThat(store.find(APPLICATION)).isEmpty();
    assertThat(store.applications()).isEmpty();
    store.keep(APPLICATION, "first");
    store.keep(APPLICATION, "second");
    store.keep("application_1_0002", "other");
    assertThat(store.find(APPLICATION)).contains("second");
    assertThat(store.applications()).containsExactlyInAnyOrder(APPLICATION, "application_1_0002");
    store.forget(APPLICATION);
    assertThat(store.find(APPLICATION)).isEmpty();
    assertThat(store.applications()).containsExactly("application_1_0002");
  }

  @Test
  @Behaviour(
      "I4: the REST token of a cluster on YARN is readable only by the user that submitted it")
  void onlyTheUserCanReadAToken() throws Exception {
    RestTokenStore store = RestTokenStore.in(directory.resolve("tokens"));
    store.keep(APPLICATION, "token");
    Path own = directory.resolve("tokens").resolve(APPLICATION);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
        .isEqualTo("rwx------");
    try (Stream<Path> files = Files.list(own)) {
      assertThat(files.toList())
          .singleElement()
          .satisfies(
              file ->
                  assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                      .isEqualTo("rw-------"));
    }
  }

  @Test
  void forgettingRemovesTemporaryFilesOfKilledProcesses() throws Exception {
    RestTokenStore store = RestTokenStore.in(directory);
    store.keep(APPLICATION, "token");
    Files.createFile(directory.resolve(APPLICATION).resolve("rest.token123.new"));
    store.forget(APPLICATION);
    assertThat(directory.resolve(APPLICATION)).doesNotExist();
    assertThatCode(() -> store.forget(APPLICATION)).doesNotThrowAnyException();
  }

  @Test
  void ageIsThatOfTheToken() {
    RestTokenStore store = RestTokenStore.in(directory);
    assertThat(store.lastTouched(APPLICATION)).isEqualTo(Instant.EPOCH);
    store.keep(APPLICATION, "token");
    assertThat(store.lastTouched(APPLICATION)).isAfter(Instant.EPOCH);
  }

  @Test
  void spaceAroundATokenIsIgnored() throws Exception {
    RestTokenStore store = RestTokenStore.in(directory);
    store.keep(APPLICATION, "token");
    Files.writeString(directory.resolve(APPLICATION).resolve("rest.token"), " token\n");
    assertThat(store.find(APPLICATION)).contains("token");
  }

  @Test
  void directoryThatCannotBeWrittenIsNamed() throws Exception {
    Path occupied = Files.writeString(directory.resolve("occupied"), "a file");
    RestTokenStore store = RestTokenStore.in(occupied);
    assertThatThrownBy(() -> store.keep(APPLICATION, "token"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(APPLICATION)
        .hasMessageContaining("Make the directory writable");
  }

  @Test
  void tokensAreInTheHomeOfTheUser() {
    RestTokenStore store =
        RestTokenStore.of(Configuration.EMPTY, Map.of("HOME", directory.toString()));
    store.keep(APPLICATION, "token");
    assertThat(directory.resolve(".millrace/yarn/" + APPLICATION + "/rest.token")).exists();
    assertThat(store.tls()).isEmpty();
  }
}
