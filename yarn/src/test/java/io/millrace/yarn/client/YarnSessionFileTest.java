package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.MillraceException;
import io.millrace.yarn.YarnOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class YarnSessionFileTest {
  private static final String SESSION = "application_1700000000000_0001";

  @TempDir private Path home;

  @Test
  void writtenSessionIsTheCurrentOne() {
    YarnSessionFile file = file(Configuration.EMPTY);
    assertThat(file.application()).isEmpty();
    file.write(SESSION);
    assertThat(file.application()).contains(SESSION);
    file.write("application_2_2");
    assertThat(file(Configuration.EMPTY).application()).contains("application_2_2");
  }

  @Test
  void fileHasTheNameOfTheUser() {
    // The launcher looks for the same name.
    assertThat(file(Configuration.EMPTY).path())
        .isEqualTo(
            home.resolve(".millrace")
                .resolve(".yarn-properties-" + System.getProperty("user.name")));
  }

  @Test
  void directoryCanBeConfigured() {
    Path directory = home.resolve("a/b");
    YarnSessionFile file =
        file(Configuration.EMPTY.with(YarnOptions.PROPERTIES_FILE_DIR, directory.toString()));
    file.write(SESSION);
    assertThat(file.path()).hasParent(directory).exists();
  }

  @Test
  void onlyTheSessionThatHasEndedIsRemoved() {
    YarnSessionFile file = file(Configuration.EMPTY);
    file.forget(SESSION);
    file.write(SESSION);
    file.forget("application_2_2");
    assertThat(file.application()).contains(SESSION);
    file.forget(SESSION);
    assertThat(file.application()).isEmpty();
    assertThat(file.path()).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "# nothing\n", "applicationID=\n", "applicationId=application_1_1\n"})
  void fileWithoutASessionIsRejectedWithItsPath(String content) throws Exception {
    YarnSessionFile file = file(Configuration.EMPTY);
    Files.createDirectories(file.path().getParent());
    Files.writeString(file.path(), content);
    assertThatThrownBy(file::application)
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(file.path().toString())
        .hasMessageContaining("applicationID=application_")
        .hasMessageContaining("-yid");
  }

  @Test
  void brokenEscapeIsRejected() throws Exception {
    YarnSessionFile file = file(Configuration.EMPTY);
    Files.createDirectories(file.path().getParent());
    Files.writeString(file.path(), "applicationID=\\u00zz\n");
    assertThatThrownBy(file::application)
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("cannot be read");
  }

  @Test
  void fileOfFlinkIsRead() throws Exception {
    YarnSessionFile file = file(Configuration.EMPTY);
    Files.createDirectories(file.path().getParent());
    Files.writeString(
        file.path(),
        "#Generated YARN properties file\n#Mon Nov 16 12:00:00 UTC 2026\n"
            + "dynamicPropertiesString=\napplicationID="
            + SESSION
            + "\n");
    assertThat(file.application()).contains(SESSION);
  }

  @Test
  void preparationCreatesTheDirectoryAndNotTheFile() {
    YarnSessionFile file = file(Configuration.EMPTY);
    assertThatCode(file::prepare).doesNotThrowAnyException();
    assertThat(file.path().getParent()).isDirectory();
    assertThat(file.path()).doesNotExist();
  }

  @Test
  void directoryThatCannotBeCreatedIsReportedBeforeTheSessionStarts() throws Exception {
    Path occupied = Files.writeString(home.resolve("occupied"), "a file");
    YarnSessionFile file =
        file(
            Configuration.EMPTY.with(
                YarnOptions.PROPERTIES_FILE_DIR, occupied.resolve("below").toString()));
    assertThatThrownBy(file::prepare)
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("cannot be written")
        .hasMessageContaining("yarn.properties-file.location to a writable directory");
    assertThatThrownBy(() -> file.write(SESSION)).isInstanceOf(MillraceException.class);
  }

  private YarnSessionFile file(Configuration configuration) {
    return YarnSessionFile.of(configuration, Map.of("HOME", home.toString()));
  }
}
