package io.millrace.control.blob;

import io.millrace.core.fs.FencedDirectory;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;

/**
 * Blobs on shared storage, for a JobManager that may restart on another machine. They are read from
 * a local copy, which is created when a blob is put or first read, because TaskManagers request
 * many small parts.
 */
public final class FencedBlobStore extends CopiedBlobStore {
  private final FencedDirectory owned;

  private final UnreferencedBlobs unused = new UnreferencedBlobs();

  /**
   * @param name of the subdirectory of the owned directory; created if it is missing
   * @param copies local copies, which end with the process
   */
  public FencedBlobStore(FencedDirectory owned, String name, FileBlobStore copies)
      throws IOException {
    super(owned, name, copies);
    this.owned = owned;
    owned.createDirectory(directory);
    for (FileStatus entry : owned.system().list(directory)) {
      FileBlobStore.key(entry.path().name()).ifPresent(unused::addOld);
    }
  }

  @Override
  public BlobKey put(InputStream content) throws IOException {
    BlobKey key = copies.put(content);
    unused.used(key);
    try (InputStream copy = copies.open(key)) {
      owned.write(file(key), copy);
    }
    return key;
  }

  @Override
  public boolean contains(BlobKey key) throws IOException {
    unused.used(key);
    return owned.system().status(file(key)).isPresent();
  }

  @Override
  public void delete(BlobKey key) throws IOException {
    unused.deleted(key);
    copies.delete(key);
    owned.remove(file(key));
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
  FilePath file(BlobKey key) {
    return directory.child(key.sha256());
  }
}
