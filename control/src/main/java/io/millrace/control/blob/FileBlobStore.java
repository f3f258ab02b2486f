package io.millrace.control.blob;

import io.millrace.core.Bytes;
import io.millrace.core.Sha256;
import io.millrace.core.fs.DurableDirectory;
import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Collection;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Blobs as files of one directory, each named by its hash. Content is written under a temporary
 * name, hashed on the way, forced to the disk and then renamed, so that a file with a hash as its
 * name is complete after any crash. Copies of blobs are not forced to the disk.
 */
public final class FileBlobStore implements BlobStore {
  private static final int BUFFER = 64 * 1024;
  private static final String INCOMING = "incoming-";

  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");

  private final Path directory;
  private final boolean durable;

  private final UnreferencedBlobs unused = new UnreferencedBlobs();

  /**
   * Creates the directory if it is missing, readable only by its owner, and deletes partly received
   * blobs of an earlier process. No other process may put blobs there.
   */
  public FileBlobStore(Path directory) throws IOException {
    this(directory, true);
  }

  private FileBlobStore(Path directory, boolean durable) throws IOException {
    this.directory = DurableDirectory.create(directory);
    this.durable = durable;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        if (name.startsWith(INCOMING)) {
          Files.delete(file);
        }
        key(name).ifPresent(unused::addOld);
      }
    }
  }

  /**
   * Copies of blobs that are stored elsewhere, which are quicker to write.
   *
   * @param directory of one process, which no later process uses: after a crash of the machine its
   *     files may be damaged
   */
  public static FileBlobStore copies(Path directory) throws IOException {
    return new FileBlobStore(directory, false);
  }

  /** The blob whose file has this name. */
  static Optional<BlobKey> key(String name) {
    return HASH.matcher(name).matches() ? Optional.of(new BlobKey(name)) : Optional.empty();
  }

  @Override
  public BlobKey put(InputStream content) throws IOException {
    Path incoming = Files.createTempFile(directory, INCOMING, ".part");
    try {
      MessageDigest digest = Sha256.begin();
      try (FileChannel out = FileChannel.open(incoming, StandardOpenOption.WRITE)) {
        byte[] buffer = new byte[BUFFER];
        for (int read = content.read(buffer); read >= 0; read = content.read(buffer)) {
          digest.update(buffer, 0, read);
          ByteBuffer part = ByteBuffer.wrap(buffer, 0, read);
          while (part.hasRemaining()) {
            out.write(part);
          }
        }
        if (durable) {
          out.force(true);
        }
      }
      BlobKey key = BlobKey.of(digest.digest());
      unused.used(key);
      Files.move(
          incoming, file(key), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      if (durable) {
        DurableDirectory.force(directory);
      }
      return key;
    } finally {
      Files.deleteIfExists(incoming);
    }
  }

  @Override
  public boolean contains(BlobKey key) {
    unused.used(key);
    return Files.isRegularFile(file(key));
  }

  @Override
  public long size(BlobKey key) throws IOException {
    try {
      return Files.size(file(key));
    } catch (NoSuchFileException e) {
      throw new BlobNotFound(key, e);
    }
  }

  /** Reads the directory, so that blobs that were deleted count no more. */
  @Override
  public long storedBytes() throws IOException {
    long bytes = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        // 0 for a file that was deleted meanwhile.
        bytes += file.toFile().length();
      }
    }
    return bytes;
  }

  @Override
  public Bytes read(BlobKey key, long offset, int max) throws IOException {
    try (FileChannel in = FileChannel.open(file(key), StandardOpenOption.READ)) {
      long remaining = Math.max(0, in.size() - offset);
      ByteBuffer part = ByteBuffer.allocate((int) Math.min(max, remaining));
      while (part.hasRemaining() && in.read(part, offset + part.position()) >= 0) {
        // A read may return fewer bytes than requested.
      }
      return Bytes.copyOf(part.array(), 0, part.position());
    } catch (NoSuchFileException e) {
      throw new BlobNotFound(key, e);
    }
  }

  @Override
  public InputStream open(BlobKey key) throws IOException {
    try {
      return Files.newInputStream(file(key));
    } catch (NoSuchFileException e) {
      throw new BlobNotFound(key, e);
    }
  }

  @Override
  public void delete(BlobKey key) throws IOException {
    unused.deleted(key);
    Files.deleteIfExists(file(key));
  }

  @Override
  public void clearRemains(Collection<BlobKey> needed) throws IOException {
    for (BlobKey key : unused.takeOld(needed)) {
      delete(key);
    }
  }

  @Override
  public void clearUnused(Collection<BlobKey> needed) throws IOException {
    clearRemains(needed);
    unused.age();
  }

  @Override
  public String toString() {
    return directory.toString();
  }

  private Path file(BlobKey key) {
    return directory.resolve(key.sha256());
  }
}
