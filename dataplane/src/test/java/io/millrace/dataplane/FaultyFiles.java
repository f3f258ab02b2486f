package io.millrace.dataplane;

import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.FileSystem;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;

/**
 * Files in memory, under the scheme {@code faulty}. The path of a file says what fails: {@code
 * full} after some bytes, {@code close} when it is closed, {@code blocked} until it is unblocked.
 */
public final class FaultyFiles implements FileSystem {
  private static final Map<String, byte[]> FILES = new ConcurrentSkipListMap<>();
  private static final int DISK = 200;

  /** Counts down when a write to a blocked file has begun. */
  static volatile CountDownLatch begun = new CountDownLatch(1);

  static volatile CountDownLatch unblocked = new CountDownLatch(1);

  static void block() {
    begun = new CountDownLatch(1);
    unblocked = new CountDownLatch(1);
  }

  static List<String> files(String directory) {
    return FILES.keySet().stream().filter(path -> path.startsWith(directory)).toList();
  }

  @Override
  public List<String> schemes() {
    return List.of("faulty");
  }

  @Override
  public InputStream open(FilePath file, long offset) throws IOException {
    byte[] bytes = FILES.get(file.toString());
    if (bytes == null) {
      throw new NoSuchFileException(file.toString());
    }
    return new ByteArrayInputStream(bytes, (int) offset, bytes.length - (int) offset);
  }

  @Override
  public OutputStream create(FilePath file) {
    String path = file.toString();
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    return new OutputStream() {
      @Override
      public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int from, int length) throws IOException {
        if (path.contains("blocked")) {
          begun.countDown();
          try {
            unblocked.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        }
        if (path.contains("full") && content.size() + length > DISK) {
          throw new IOException("No space left on device");
        }
        content.write(bytes, from, length);
      }

      @Override
      public void close() throws IOException {
        if (path.contains("close")) {
          throw new IOException("The connection was lost");
        }
        FILES.put(path, content.toByteArray());
      }
    };
  }

  @Override
  public void replace(FilePath from, FilePath to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean delete(FilePath path) {
    return FILES.remove(path.toString()) != null;
  }

  @Override
  public List<FileStatus> list(FilePath directory) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<FileStatus> status(FilePath path) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void createDirectories(FilePath directory) {}
}
