package io.millrace.worker.blobcache;

import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.io.OutputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Blobs as files, named by their hash. */
final class FileBlobCacheStore implements BlobCacheStore {
  private final Path directory;

  FileBlobCacheStore(Path directory) {
    this.directory = directory;
  }

  @Override
  public Incoming receive(BlobKey key) throws IOException {
    Files.createDirectories(directory);
    Path part = directory.resolve(key + ".part");
    OutputStream out = Files.newOutputStream(part);
    BlobDigest digest = new BlobDigest(key);
    return new Incoming() {
      @Override
      public void append(Bytes bytes) throws IOException {
        out.write(bytes.unsafeArray());
        digest.update(bytes);
      }

      @Override
      public void complete() throws IOException {
        out.close();
        try {
          digest.check();
          Files.move(part, file(key), StandardCopyOption.ATOMIC_MOVE);
        } finally {
          Files.deleteIfExists(part);
        }
      }

      @Override
      public void abandon() throws IOException {
        out.close();
        Files.deleteIfExists(part);
      }
    };
  }

  @Override
  public Bytes read(BlobKey key) throws IOException {
    return Bytes.wrap(Files.readAllBytes(file(key)));
  }

  @Override
  public Optional<URL> location(BlobKey key) {
    try {
      return Optional.of(file(key).toUri().toURL());
    } catch (MalformedURLException e) {
      throw new IllegalStateException("A file has a URL: " + file(key), e);
    }
  }

  @Override
  public void delete(BlobKey key) throws IOException {
    Files.deleteIfExists(file(key));
  }

  @Override
  public void close() throws IOException {
    if (Files.exists(directory)) {
      List<Path> files;
      try (Stream<Path> listed = Files.list(directory)) {
        files = listed.sorted().toList();
      }
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
      Files.delete(directory);
    }
  }

  /** The suffix is for tools that skip class path entries that do not look like jars. */
  private Path file(BlobKey key) {
    return directory.resolve(key + ".jar");
  }
}
