package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Progress;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.StagedFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a local file system, which Hadoop's client treats like any other. */
class StagingDirectoryTest {
  private static final String APPLICATION = "application_1_0001";

  @TempDir private Path directory;
  private StagingDirectory staging;
  private Path local;

  @BeforeEach
  void locate() {
    staging = staging(APPLICATION);
    local = directory.resolve(HadoopContext.userName()).resolve(".millrace").resolve(APPLICATION);
  }

  @Test
  void directoryIsNotCreatedBeforeItIsNeeded() {
    assertThat(local).doesNotExist();
    assertThat(staging.directory().toUri().getPath()).isEqualTo(local.toString());
  }

  @Test
  @Behaviour("A8: staged files of an application are readable only by its user")
  void onlyTheUserCanReadTheDirectory() throws Exception {
    staging.make();
    upload("archive", "content");
    for (Path path : new Path[] {local.getParent().getParent(), local.getParent(), local}) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
          .as("%s", path)
          .isEqualTo("rwx------");
    }
    assertThat(
            PosixFilePermissions.toString(Files.getPosixFilePermissions(local.resolve("archive"))))
        .isEqualTo("rw-------");
  }

  @Test
  void directoryIsUnsubmittedUntilTheSubmission() throws Exception {
    assertThat(staging.isUnsubmitted()).isFalse();
    staging.make();
    assertThat(staging.isUnsubmitted()).isTrue();
    staging.submitted();
    assertThat(staging.isUnsubmitted()).isFalse();
    assertThat(local).exists();
  }

  @Test
  void stagedFileHasSizeAndTimeOfTheUpload() throws Exception {
    staging.make();
    upload("archive", "content");
    Files.setLastModifiedTime(
        local.resolve("archive"), FileTime.from(Instant.ofEpochSecond(1_700_000_000)));
    StagedFile file = staging.staged("archive", "millrace", LocalResourceType.ARCHIVE, true);
    assertThat(file.link()).isEqualTo("millrace");
    assertThat(file.size()).isEqualTo(7);
    assertThat(file.modified()).isEqualTo(1_700_000_000_000L);
    assertThat(file.visibility()).isEqualTo(LocalResourceVisibility.APPLICATION);
    assertThat(Path.of(file.place())).hasContent("content");
  }

  @Test
  void tokenIsReadByClientsOnOtherMachines() throws Exception {
    assertThat(staging.token()).isEmpty();
    staging.make();
    ParallelUpload uploads = new ParallelUpload(Progress.SILENT);
    staging.addToken(uploads, "a token");
    uploads.await("there");
    assertThat(staging.token()).contains("a token");
  }

  @Test
  void fileIsNeverOverwritten() throws Exception {
    staging.make();
    upload("archive", "first");
    assertThatThrownBy(() -> upload("archive", "second")).isInstanceOf(IOException.class);
    assertThat(local.resolve("archive")).hasContent("first");
  }

  @Test
  void siblingsAreTheApplicationsOfTheSameUser() throws Exception {
    assertThat(staging.siblings()).isEmpty();
    staging.make();
    staging("application_1_0002").make();
    assertThat(staging.siblings()).containsExactlyInAnyOrder(APPLICATION, "application_1_0002");
  }

  @Test
  void ageIsThatOfTheLatestChange() throws Exception {
    assertThat(staging.lastTouched()).isEqualTo(Instant.EPOCH);
    staging.make();
    upload("archive", "content");
    Instant latest = Instant.parse("2040-01-01T00:00:00Z");
    Files.setLastModifiedTime(local.resolve("archive"), FileTime.from(latest));
    assertThat(staging.lastTouched()).isEqualTo(latest);
  }

  @Test
  void removalRemovesEverything() throws Exception {
    staging.make();
    upload("archive", "content");
    assertThat(staging.remove()).isTrue();
    assertThat(local).doesNotExist();
    assertThat(staging.remove()).isFalse();
  }

  @Test
  void localDefaultFileSystemIsRejected() {
    assertThatThrownBy(
            () ->
                StagingDirectory.of(
                    Configuration.EMPTY, new org.apache.hadoop.conf.Configuration(), APPLICATION))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("fs.defaultFS is file:///")
        .hasMessageContaining("yarn.staging-directory");
  }

  @Test
  void unknownFileSystemIsRejected() {
    assertThatThrownBy(
            () ->
                StagingDirectory.of(
                    Configuration.EMPTY.with(YarnOptions.STAGING_DIR, "nowhere://x/y"),
                    new org.apache.hadoop.conf.Configuration(),
                    APPLICATION))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("cannot be opened");
  }

  @Test
  void missingPermissionIsTheFaultOfTheUser() {
    MillraceException refused =
        staging.failed("create", new AccessControlException("Permission denied: user=x\n at a"));
    assertThat(refused.kind()).isEqualTo(ErrorKind.USER);
    assertThat(refused)
        .hasMessageContaining("may not create the application's directory " + staging.directory())
        .hasMessageContaining("yarn.staging-directory")
        .hasMessageNotContaining("\n");
    MillraceException failed = staging.failed("change", new IOException("timeout"));
    assertThat(failed.kind()).isEqualTo(ErrorKind.EXTERNAL);
    assertThat(failed).hasMessageContaining("could not change", "timeout");
  }

  private StagingDirectory staging(String application) {
    return StagingDirectory.of(
        Configuration.EMPTY.with(YarnOptions.STAGING_DIR, directory.toUri().toString()),
        new org.apache.hadoop.conf.Configuration(),
        application);
  }

  private void upload(String name, String content) throws IOException {
    ParallelUpload uploads = new ParallelUpload(Progress.SILENT);
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    staging.add(uploads, name, bytes.length, out -> out.write(bytes));
    uploads.await("there");
  }
}
