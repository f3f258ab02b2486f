package io.millrace.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Directories, descriptors and the parts of a path that only local files have. */
class LocalFilesTest {
  @TempDir private Path directory;

  private final FileSystem files = new LocalFileSystem();

  @Test
  void privateDirectoryIsForItsOwnerOnlyAndItsParentsAreNot() throws IOException {
    Path path = directory.resolve("a/b/private");

    files.createPrivateDirectory(at(path));

    assertThat(mode(path)).isEqualTo("rwx------");
    Path plain = directory.resolve("plain");
    files.createDirectories(at(plain));
    assertThat(mode(path.getParent())).isEqualTo(mode(plain));
  }

  @Test
  void existingPrivateDirectoryIsNotChanged() throws IOException {
    Path path = Files.createDirectory(directory.resolve("shared"));
    String before = mode(path);
    Files.writeString(path.resolve("kept"), "x");

    files.createPrivateDirectory(at(path));

    assertThat(mode(path)).isEqualTo(before);
    assertThat(path.resolve("kept")).hasContent("x");
  }

  @Test
  void lengthIsOfFilesAndNotOfDirectories() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "12345");

    assertThat(files.status(at(file))).contains(new FileStatus(at(file), false, 5));
    assertThat(files.status(at(directory))).contains(new FileStatus(at(directory), true, 0));
  }

  @Test
  void linkHasTheStatusOfItsTarget() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "12345");
    Path link = Files.createSymbolicLink(directory.resolve("link"), file);

    assertThat(files.status(at(link)).orElseThrow().length()).isEqualTo(5);
    assertThat(files.list(at(directory))).hasSize(2);
  }

  @Test
  void readingBehindTheEndFindsNothing() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "12345");

    try (var in = files.open(at(file), 5)) {
      assertThat(in.readAllBytes()).isEmpty();
    }
    try (var in = files.open(at(file), 100)) {
      assertThat(in.readAllBytes()).isEmpty();
    }
  }

  @Test
  void deviceIsNoFile() {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> files.open(FilePath.parse("/dev/null"), 0))
        .withMessageStartingWith("'/dev/null' is a pipe, a socket or a device.")
        .satisfies(e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER));
  }

  @Test
  void lengthOfAStatusIsNotNegative() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new FileStatus(at(directory), false, -1))
        .withMessage(directory + ": length must be >= 0, but is -1");
  }

  @Test
  void durableDirectoryIsCreatedWithItsParentsForTheOwner() throws IOException {
    Path path = directory.resolve("x/y/z");

    assertThat(DurableDirectory.create(path)).isEqualTo(path);

    assertThat(mode(path)).isEqualTo("rwx------");
    assertThat(mode(path.getParent())).isEqualTo("rwx------");
    assertThat(DurableDirectory.create(path)).as("once more").isEqualTo(path);
  }

  @Test
  void durableDirectoryIsNotCreatedInPlaceOfAFile() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "x");

    assertThatExceptionOfType(FileAlreadyExistsException.class)
        .isThrownBy(() -> DurableDirectory.create(file));
    assertThatExceptionOfType(FileSystemException.class)
        .isThrownBy(() -> DurableDirectory.create(file.resolve("below")));
    assertThat(file).hasContent("x");
  }

  @Test
  void missingDirectoryIsNotSynced() throws IOException {
    assertThatExceptionOfType(NoSuchFileException.class)
        .isThrownBy(() -> DurableDirectory.force(directory.resolve("none")));
    DurableDirectory.forcePath(directory);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 64",
    "255, 64",
    "256, 64",
    "260, 65",
    "1024, 256",
    "4096, 1024",
    "4100, 1024",
    "9223372036854775807, 1024"
  })
  void quarterOfTheDescriptorsIsForFilesWithinBounds(long limit, long reserved) {
    assertThat(FileDescriptors.reserve(limit)).isEqualTo(reserved);
  }

  @Test
  void exhaustedDescriptorsAreRecognisedInsideOtherErrors() {
    FileSystemException none = new FileSystemException("/a", null, "Too many open files");
    FileSystemException onMachine =
        new FileSystemException("/a", null, "Too many open files in system");

    assertThat(FileDescriptors.areExhausted(none)).isTrue();
    assertThat(FileDescriptors.areExhausted(onMachine)).isTrue();
    assertThat(FileDescriptors.areExhausted(new CompletionException(new IOException(none))))
        .isTrue();
  }

  @Test
  void otherErrorsAreNotForLackOfDescriptors() {
    assertThat(FileDescriptors.areExhausted(new NoSuchFileException("Too many open files")))
        .isFalse();
    assertThat(
            FileDescriptors.areExhausted(
                new AccessDeniedException("/a", null, "Too many open files")))
        .isFalse();
    assertThat(FileDescriptors.areExhausted(new FileSystemException("/a", null, "No space left")))
        .isFalse();
    assertThat(FileDescriptors.areExhausted(new FileSystemException("/a"))).isFalse();
    assertThat(FileDescriptors.areExhausted(new FileNotFoundException("Too many open files")))
        .isFalse();
  }

  @Test
  void openDescriptorsAreBelowTheLimit() {
    assertThat(FileDescriptors.open()).isPositive().isLessThan(FileDescriptors.limit());
  }

  @ParameterizedTest
  @CsvSource({
    "/a/b, b",
    "hdfs://host:1/a/b, b",
    "hdfs://host:1/, ''",
    "s3://bucket, ''",
    "/a/b/, b",
    "hdfs://host/a//, a",
  })
  void nameIsTheLastPart(String path, String name) {
    assertThat(FilePath.parse(path).name()).isEqualTo(name);
  }

  @ParameterizedTest
  @CsvSource({
    "a:b, false",
    "C:dir, false",
    "1a:/x, false",
    "a_b:/x, false",
    ":/x, false",
    "S3A://b/x, true",
    "x+y-z.1:/x, true"
  })
  void schemeIsLettersBeforeAColonAndASlash(String text, boolean scheme) {
    assertThat(FilePath.parse(text).scheme().equals(FilePath.LOCAL)).isEqualTo(!scheme);
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static FilePath at(Path path) {
    return FilePath.parse(path.toString());
  }
}
