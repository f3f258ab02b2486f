package io.millrace.control.blob;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.SharedDirectory;
import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;

/**
 * Blobs on shared storage that are read from a local copy, which is created when a blob is put or
 * first read.
 */
abstract class CopiedBlobStore implements BlobStore {
  final FilePath directory;
  final FileBlobStore copies;
  private final FileSystem system;

  /**
   * @param name of the subdirectory of the blobs
   * @param copies local copies, which end with the process
   */
  CopiedBlobStore(SharedDirectory shared, String name, FileBlobStore copies) {
    this.directory = shared.child(name);
    this.system = shared.system();
    this.copies = copies;
  }

  /** The file of a blob on shared storage, which may not exist. */
  abstract FilePath file(BlobKey key) throws IOException;

  @Override
  public final long size(BlobKey key) throws IOException {
    return localCopy(key).size(key);
  }

  /** The length of the files on the shared storage. */
  @Override
  public final long storedBytes() throws IOException {
    return system.list(directory).stream().mapToLong(FileStatus::length).sum();
  }

  @Override
  public final Bytes read(BlobKey key, long offset, int max) throws IOException {
    return localCopy(key).read(key, offset, max);
  }

  @Override
  public final InputStream open(BlobKey key) throws IOException {
    return localCopy(key).open(key);
  }

  private FileBlobStore localCopy(BlobKey key) throws IOException {
    if (!copies.contains(key)) {
      FilePath file = file(key);
      BlobKey actual;
      try (InputStream shared = system.open(file, 0)) {
        actual = copies.put(shared);
      } catch (NoSuchFileException e) {
        throw new BlobNotFound(key, e);
      }
      if (!actual.equals(key)) {
        copies.delete(actual);
        throw new MillraceException(
            ErrorKind.EXTERNAL,
            "Blob "
                + key
                + " is damaged: "
                + file
                + " no longer has the hash it was stored under. Delete it and submit the job"
                + " again.");
      }
    }
    return copies;
  }

  @Override
  public final String toString() {
    return directory.toString();
  }
}
