package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Progress;
import io.millrace.client.ShippedProgram;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.StagedFile;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which files containers get, by which names. */
class ShippedFilesSelectionTest {
  @TempDir private Path directory;
  private Configuration configuration;

  @BeforeEach
  void locate() {
    configuration =
        Configuration.EMPTY.with(
            YarnOptions.STAGING_DIR, directory.resolve("staging").toUri().toString());
  }

  @Test
  void fileHasItsNameInContainers() throws Exception {
    Path file = write("data/terms.txt", "terms");
    StagedFile staged = only(configuration.with(YarnOptions.SHIP_FILES, file.toString()));
    assertThat(staged.link()).isEqualTo("terms.txt");
    assertThat(staged.type()).isEqualTo(LocalResourceType.FILE);
    assertThat(staged.forWorkers()).isTrue();
    assertThat(Path.of(staged.place())).hasContent("terms");
  }

  @Test
  void directoryTravelsAsAnArchive() throws Exception {
    write("dictionary/a.txt", "a");
    write("dictionary/deep/b.txt", "b");
    StagedFile staged =
        only(configuration.with(YarnOptions.SHIP_FILES, directory.resolve("dictionary") + "/"));
    assertThat(staged.link()).isEqualTo("dictionary");
    assertThat(staged.type()).isEqualTo(LocalResourceType.ARCHIVE);
    Path unpacked = Files.createDirectory(directory.resolve("unpacked"));
    Process tar =
        new ProcessBuilder(
                "tar", "-xf", Path.of(staged.place()).toString(), "-C", unpacked.toString())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).isZero();
    assertThat(unpacked.resolve("a.txt")).hasContent("a");
    assertThat(unpacked.resolve("deep/b.txt")).hasContent("b");
  }

  @Test
  void archiveIsUnpackedByYarn() throws Exception {
    Path archive = write("model.TGZ", "x");
    StagedFile staged = only(configuration.with(YarnOptions.SHIP_ARCHIVES, archive.toString()));
    assertThat(staged.link()).isEqualTo("model.TGZ");
    assertThat(staged.type()).isEqualTo(LocalResourceType.ARCHIVE);
  }

  @Test
  @Behaviour(
      "A8: queue, sizes, labels and files are checked before the upload, and a refusal names the"
          + " option and the number")
  void fileThatIsNoArchiveIsRejected() throws Exception {
    Path file = write("model.rar", "x");
    rejected(configuration.with(YarnOptions.SHIP_ARCHIVES, file.toString()))
        .hasMessageContaining("model.rar (yarn.ship-archives) is not an archive")
        .hasMessageContaining(".tar.gz");
  }

  @Test
  void missingFileIsRejectedWithItsOption() {
    rejected(configuration.with(YarnOptions.SHIP_FILES, directory.resolve("nope").toString()))
        .hasMessageContaining("There is no " + directory.resolve("nope") + " (yarn.ship-files)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "millrace",
        "application",
        "secrets",
        "usrlib",
        "provided",
        "login.keytab",
        "krb5.conf"
      })
  void nameOfTheEngineIsReserved(String name) throws Exception {
    Path file = write("mine/" + name, "x");
    rejected(configuration.with(YarnOptions.SHIP_FILES, file.toString()))
        .hasMessageContaining("they have another '" + name + "'. Rename it");
  }

  @Test
  void twoFilesWithOneNameAreRejected() throws Exception {
    Path first = write("a/terms.txt", "1");
    Path second = write("b/terms.txt", "2");
    rejected(configuration.with(YarnOptions.SHIP_FILES, first + ";" + second))
        .hasMessageContaining("another 'terms.txt'");
    Path archive = write("c/terms.zip", "3");
    Path other = write("d/terms.zip", "4");
    rejected(
            configuration
                .with(YarnOptions.SHIP_FILES, archive.toString())
                .with(YarnOptions.SHIP_ARCHIVES, other.toString()))
        .hasMessageContaining("yarn.ship-archives");
  }

  @Test
  void jarOfTheProgramIsForWorkersOnlyOnTheirClassPath() throws Exception {
    Path jar = write("job.jar", "x");
    for (YarnOptions.UserJars order : YarnOptions.UserJars.values()) {
      StagedFile staged =
          only(
              DeploymentSpec.ofProgram(
                  new ShippedProgram(jar.toUri(), Optional.empty(), List.of()),
                  configuration.with(YarnOptions.USER_JARS, order)),
              "application-" + order);
      assertThat(staged.link()).isEqualTo("usrlib/job.jar");
      assertThat(staged.forWorkers())
          .as("%s", order)
          .isEqualTo(order != YarnOptions.UserJars.DISABLED);
    }
  }

  @Test
  void missingJarIsRejected() {
    URI missing = directory.resolve("no.jar").toUri();
    DeploymentSpec spec =
        DeploymentSpec.ofProgram(
            new ShippedProgram(missing, Optional.empty(), List.of()), configuration);
    assertThatThrownBy(() -> ShippedFiles.of(spec, new org.apache.hadoop.conf.Configuration()))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("There is no " + missing);
  }

  @Test
  void configurationWithoutFilesShipsNothing() throws Exception {
    assertThat(staged(DeploymentSpec.ofSession(configuration), "application-none")).isEmpty();
    assertThat(ShippedFiles.in(configuration)).isEqualTo(configuration);
  }

  private Path write(String name, String content) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, content);
  }

  private static StagedFile only(Configuration configuration) throws IOException {
    return only(DeploymentSpec.ofSession(configuration), "application-1");
  }

  private static StagedFile only(DeploymentSpec spec, String application) throws IOException {
    List<StagedFile> staged = staged(spec, application);
    assertThat(staged).hasSize(1);
    return staged.get(0);
  }

  private static List<StagedFile> staged(DeploymentSpec spec, String application)
      throws IOException {
    org.apache.hadoop.conf.Configuration hadoop = new org.apache.hadoop.conf.Configuration();
    StagingDirectory staging = StagingDirectory.of(spec.configuration(), hadoop, application);
    staging.make();
    ShippedFiles shipped = ShippedFiles.of(spec, hadoop);
    ParallelUpload uploads = new ParallelUpload(Progress.SILENT);
    shipped.send(staging, uploads);
    uploads.await(staging.directory().toString());
    return shipped.staged(staging);
  }

  private static org.assertj.core.api.AbstractThrowableAssert<?, ?> rejected(
      Configuration configuration) {
    return assertThatThrownBy(
            () ->
                ShippedFiles.of(
                    DeploymentSpec.ofSession(configuration),
                    new org.apache.hadoop.conf.Configuration()))
        .isInstanceOf(MillraceException.class)
        .matches(e -> ((MillraceException) e).kind() == ErrorKind.USER);
  }
}
