package io.millrace.control.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.testing.Fenced;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FencedOffException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.fs.UnfencedDirectory;
import io.millrace.core.id.BlobKey;
import io.millrace.core.testing.Behaviour;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BlobStoreTest {
  @TempDir Path temporary;

  enum Kind {
    MEMORY,
    FILE,
    FENCED,
    SHARED
  }

  private BlobStore store(Kind kind) throws IOException {
    return switch (kind) {
      case MEMORY -> new MemoryBlobStore();
      case FILE -> new FileBlobStore(temporary.resolve("blobs"));
      case FENCED -> fenced("me");
      case SHARED -> shared("me");
    };
  }

  /** Opens the store as a JobManager on this machine does. */
  private FencedBlobStore fenced(String machine) throws IOException {
    return new FencedBlobStore(
        Fenced.take(temporary, machine), "blobs", FileBlobStore.copies(temporary.resolve(machine)));
  }

  private SharedBlobStore shared(String leader) throws IOException {
    FilePath root = FilePath.parse(temporary.resolve("shared").toString());
    return new SharedBlobStore(
        UnfencedDirectory.open(FileSystems.withoutPlugins().of(root), root, leader),
        "blobs",
        leader,
        FileBlobStore.copies(temporary.resolve(leader)));
  }

  @Test
  @Behaviour(
      "G2: a former leader that continues after a pause deletes no blob that its successor needs")
  void formerLeaderDeletesNoBlobOfItsSuccessor() throws IOException {
    SharedBlobStore first = shared("first");
    BlobKey needed = first.put(content(100));
    BlobKey unneeded = first.put(content(200));

    SharedBlobStore second = shared("second");
    assertThat(second.readAll(needed)).as("also before the jobs are known").isEqualTo(content(100));
    assertThat(second.contains(unneeded)).as("a client uploads it again").isFalse();
    assertThat(second.put(content(200))).isEqualTo(unneeded);
    second.clearRemains(List.of(needed));
    // The first one had decided this before.
    first.delete(unneeded);

    SharedBlobStore third = shared("third");
    assertThat(third.readAll(unneeded)).isEqualTo(content(200));
    assertThat(second.contains(needed)).isTrue();
    assertThat(second.readAll(needed)).isEqualTo(content(100));
    second.delete(needed);
    assertThat(shared("fourth").contains(needed)).isFalse();
    assertThatThrownBy(() -> shared("fifth").readAll(needed)).isInstanceOf(BlobNotFound.class);
  }

  @Test
  void blobsOfEndedJobsAreClearedByTheNextLeader() throws IOException {
    SharedBlobStore first = shared("first");
    BlobKey needed = first.put(content(100));
    BlobKey unneeded = first.put(content(200));

    SharedBlobStore second = shared("second");
    second.clearRemains(List.of(needed));

    try (Stream<Path> files = Files.list(temporary.resolve("shared/blobs"))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactly(needed.sha256() + "-first");
    }
    assertThatThrownBy(() -> shared("third").readAll(unneeded)).isInstanceOf(BlobNotFound.class);
  }

  private static Bytes content(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return Bytes.wrap(bytes);
  }

  @ParameterizedTest
  @EnumSource
  void storesBlobsByTheirHash(Kind kind) throws IOException {
    BlobStore blobs = store(kind);
    Bytes content = content(200_000);
    BlobKey key = blobs.put(new ByteArrayInputStream(content.toArray()));
    assertThat(key).isEqualTo(BlobKey.of(content));
    assertThat(blobs.put(content)).isEqualTo(key);
    assertThat(blobs.contains(key)).isTrue();
    assertThat(blobs.size(key)).isEqualTo(200_000);
    assertThat(blobs.readAll(key)).isEqualTo(content);
    try (InputStream stream = blobs.open(key)) {
      assertThat(stream.readAllBytes()).isEqualTo(content.toArray());
    }
  }

  @ParameterizedTest
  @EnumSource
  void readsPartsAndStopsAtTheEnd(Kind kind) throws IOException {
    BlobStore blobs = store(kind);
    Bytes content = content(1000);
    BlobKey key = blobs.put(content);
    assertThat(blobs.read(key, 0, 400)).isEqualTo(content.slice(0, 400));
    assertThat(blobs.read(key, 400, 400)).isEqualTo(content.slice(400, 800));
    assertThat(blobs.read(key, 800, 400)).isEqualTo(content.slice(800, 1000));
    assertThat(blobs.read(key, 1000, 400)).isEqualTo(Bytes.EMPTY);
    assertThat(blobs.read(key, Long.MAX_VALUE, 400)).isEqualTo(Bytes.EMPTY);
  }

  @ParameterizedTest
  @EnumSource
  void storesAnEmptyBlob(Kind kind) throws IOException {
    BlobStore blobs = store(kind);
    BlobKey key = blobs.put(Bytes.EMPTY);
    assertThat(blobs.contains(key)).isTrue();
    assertThat(blobs.readAll(key)).isEqualTo(Bytes.EMPTY);
  }

  @ParameterizedTest
  @EnumSource
  void errorNamesTheMissingBlob(Kind kind) throws IOException {
    BlobStore blobs = store(kind);
    BlobKey key = blobs.put(content(10));
    blobs.delete(key);
    blobs.delete(key);
    assertThat(blobs.contains(key)).isFalse();
    assertMissing(key, () -> blobs.size(key));
    assertMissing(key, () -> blobs.read(key, 0, 1));
    assertMissing(key, () -> blobs.readAll(key));
  }

  private static void assertMissing(
      BlobKey key, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.RESOURCE))
        .hasMessageContaining(key.toString())
        .hasMessageContaining("Submit the job again");
  }

  @Test
  void storesNothingIfTheContentEndsWithAnError() throws IOException {
    FileBlobStore blobs = new FileBlobStore(temporary.resolve("blobs"));
    InputStream failing =
        new FilterInputStream(new ByteArrayInputStream(new byte[100_000])) {
          @Override
          public int read(byte[] target, int from, int length) throws IOException {
            int read = super.read(target, from, length);
            if (read < 0) {
              throw new IOException("connection reset");
            }
            return read;
          }
        };
    assertThatThrownBy(() -> blobs.put(failing)).hasMessage("connection reset");
    try (Stream<Path> files = Files.list(temporary.resolve("blobs"))) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void findsBlobsAfterARestart() throws IOException {
    Path directory = temporary.resolve("blobs");
    BlobKey key = new FileBlobStore(directory).put(content(10));
    assertThat(new FileBlobStore(directory).readAll(key)).isEqualTo(content(10));
  }

  @Test
  void deletesPartlyReceivedBlobsOfAKilledProcess() throws IOException {
    Path directory = temporary.resolve("blobs");
    BlobKey key = new FileBlobStore(directory).put(content(10));
    Path part = Files.write(directory.resolve("incoming-123.part"), new byte[5]);
    assertThat(new FileBlobStore(directory).contains(key)).isTrue();
    assertThat(part).doesNotExist();
  }

  @Test
  void deletesUnusedBlobsOfAnEarlierProcess() throws IOException {
    Path directory = temporary.resolve("blobs");
    FileBlobStore previous = new FileBlobStore(directory);
    BlobKey needed = previous.put(content(1));
    BlobKey putAgain = previous.put(content(2));
    BlobKey queried = previous.put(content(3));
    BlobKey unused = previous.put(content(4));

    FileBlobStore next = new FileBlobStore(directory);
    BlobKey added = next.put(content(5));
    next.put(content(2));
    assertThat(next.contains(queried)).isTrue();
    next.clearRemains(List.of(needed));

    for (BlobKey kept : List.of(needed, putAgain, queried, added)) {
      assertThat(next.contains(kept)).isTrue();
    }
    assertThat(next.contains(unused)).isFalse();
  }

  @Test
  void deletesBlobsThatAreUnusedForTwoCycles() throws IOException {
    FileBlobStore blobs = new FileBlobStore(temporary.resolve("blobs"));
    BlobKey needed = blobs.put(content(1));
    BlobKey queried = blobs.put(content(2));
    BlobKey putAgain = blobs.put(content(3));
    BlobKey unused = blobs.put(content(4));
    blobs.clearUnused(List.of(needed));
    assertThat(Files.exists(temporary.resolve("blobs").resolve(unused.sha256()))).isTrue();

    assertThat(blobs.contains(queried)).isTrue();
    blobs.put(content(3));
    blobs.clearUnused(List.of(needed));

    for (BlobKey kept : List.of(needed, queried, putAgain)) {
      assertThat(blobs.contains(kept)).isTrue();
    }
    assertThat(blobs.contains(unused)).isFalse();
  }

  @Test
  void detectsADamagedBlob() throws IOException {
    FileBlobStore blobs = new FileBlobStore(temporary.resolve("blobs"));
    BlobKey key = blobs.put(content(10));
    Files.write(temporary.resolve("blobs").resolve(key.sha256()), new byte[] {1});
    assertThatThrownBy(() -> blobs.readAll(key)).hasMessageContaining("damaged");
    blobs.put(content(10));
    assertThat(blobs.readAll(key)).isEqualTo(content(10));
  }

  @Test
  void createsADirectoryThatOnlyItsOwnerCanRead() throws IOException {
    Path directory = temporary.resolve("a").resolve("b");
    new FileBlobStore(directory);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
        .isEqualTo("rwx------");
  }

  @Test
  @Behaviour(
      "G2: on shared storage the last process that takes the directory owns it; writes of earlier"
          + " owners are refused and acknowledged writes are kept")
  void findsBlobsOnAnotherMachine() throws IOException {
    FencedBlobStore previous = fenced("one");
    BlobKey needed = previous.put(content(10));
    BlobKey queried = previous.put(content(11));
    BlobKey unused = previous.put(content(12));

    FencedBlobStore next = fenced("two");

    assertThat(next.size(needed)).isEqualTo(10);
    assertThat(next.readAll(needed)).isEqualTo(content(10));
    assertThat(next.contains(queried)).isTrue();
    next.clearRemains(List.of(needed));
    assertThat(next.contains(queried)).isTrue();
    assertThat(next.contains(unused)).isFalse();
    assertThatThrownBy(() -> previous.delete(needed)).isInstanceOf(FencedOffException.class);
    assertThatThrownBy(() -> previous.put(content(13))).isInstanceOf(FencedOffException.class);
    assertThat(next.contains(needed)).isTrue();
  }

  @Test
  void detectsADamagedBlobOfAnotherMachine() throws IOException {
    BlobKey key = fenced("one").put(content(10));
    Path stored = temporary.resolve("blobs").resolve(key.sha256());
    Files.write(stored, new byte[] {1});
    FencedBlobStore next = fenced("two");
    assertThatThrownBy(() -> next.read(key, 0, 1))
        .hasMessageContaining("damaged")
        .hasMessageContaining(stored.toString());
    next.put(content(10));
    assertThat(fenced("three").readAll(key)).isEqualTo(content(10));
  }
}
