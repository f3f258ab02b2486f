package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionFilesTest {
  @TempDir private Path home;

  @Test
  void filesAreInTheHomeDirectoryOfTheEnvironment() {
    assertThat(SessionFiles.directory(environment())).isEqualTo(home.resolve(".millrace"));
    assertThat(UserHome.of(Map.of())).isEqualTo(Path.of(System.getProperty("user.home")));
    assertThat(UserHome.of(Map.of("HOME", ""))).isEqualTo(UserHome.of(Map.of()));
  }

  @Test
  void withoutADirectoryThereAreNoSessions() {
    assertThat(SessionFiles.styles(environment())).isEmpty();
  }

  @Test
  void listsTheStylesWithAFileOfThisUserInOrder() throws IOException {
    Path directory = Files.createDirectories(home.resolve(".millrace"));
    Files.createFile(directory.resolve(SessionFiles.name("yarn")));
    Files.createFile(directory.resolve(SessionFiles.name("rack")));
    Files.createFile(directory.resolve(".yarn-properties-another-user"));
    Files.createFile(directory.resolve("rack-properties-" + System.getProperty("user.name")));
    Files.createDirectory(directory.resolve("cluster"));
    assertThat(SessionFiles.styles(environment())).containsExactly("rack", "yarn");
  }

  private Map<String, String> environment() {
    return Map.of("HOME", home.toString());
  }
}
