package io.millrace.control.blob;

import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.SharedDirectory;
import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Blobs on storage that cannot keep a former leader from changes. They are read from a local copy,
 * which is created when a blob is put or first read.
 *
 * <p>A former leader that was frozen may still delete blobs which no job needed when it led. Each
 * leader therefore writes files of its own, whose names contain the hash and the leader. Of earlier
 * leaders it uses only the blobs of jobs that are stored; a client that queries another one is told
 * to upload it again.
 */
public final class SharedBlobStore extends CopiedBlobStore {
  private static final char SEPARATOR = '-';

  private final SharedDirectory shared;
  private final String leader;

  /** The files of earlier leaders. */
  private final Map<BlobKey, List<FilePath>> inherited = new ConcurrentHashMap<>();

  /** Blobs that clients may rely on: those of this leader, and those of stored jobs. */
  private final Set<BlobKey> usable = ConcurrentHashMap.newKeySet();

  private final UnreferencedBlobs unused = new UnreferencedBlobs();

  /**
   * @param name of the subdirectory; created if it is missing
   * @param leader a name that no other leader has or had, without '-'
   * @param copies local copies, which end with the process
   */
  public SharedBlobStore(SharedDirectory shared, String name, String leader, FileBlobStore copies)
      throws IOException {
    super(shared, name, copies);
    this.shared = shared;
    this.leader = leader;
    shared.createDirectory(directory);
    for (FileStatus entry : shared.system().list(directory)) {
      String file = entry.path().name();
      int end = Math.max(0, file.indexOf(SEPARATOR));
      FileBlobStore.key(file.substring(0, end))
          .ifPresent(
              key ->
                  inherited
                      .computeIfAbsent(key, none -> new CopyOnWriteArrayList<>())
                      .add(entry.path()));
    }
  }

  @Override
  public BlobKey put(InputStream content) throws IOException {
    BlobKey key = copies.put(content);
    unused.used(key);
    try (InputStream copy = copies.open(key)) {
      shared.write(own(key), copy);
    }
    usable.add(key);
    return key;
  }

  @Override
  public boolean contains(BlobKey key) {
    unused.used(key);
    return usable.contains(key);
  }

  @Override
  public void delete(BlobKey key) throws IOException {
    usable.remove(key);
    unused.deleted(key);
    copies.delete(key);
    shared.remove(own(key));
    List<FilePath> files = inherited.remove(key);
    if (files != null) {
      for (FilePath file : files) {
        shared.remove(file);
      }
    }
  }

  @Override
  public void clearRemains(Collection<BlobKey> needed) throws IOException {
    for (BlobKey key : List.copyOf(inherited.keySet())) {
      if (needed.contains(key)) {
        usable.add(key);
      } else if (!usable.contains(key)) {
        delete(key);
      }
    }
  }

  @Override
  public void clearUnused(Collection<BlobKey> needed) throws IOException {
    for (BlobKey key : unused.takeOld(needed)) {
      delete(key);
    }
    unused.age();
  }

  @Override
  FilePath file(BlobKey key) throws IOException {
    List<FilePath> files = inherited.getOrDefault(key, List.of());
    return files.isEmpty() || shared.system().status(own(key)).isPresent()
        ? own(key)
        : files.get(0);
  }

  private FilePath own(BlobKey key) {
    return directory.child(key.sha256() + SEPARATOR + leader);
  }
}
