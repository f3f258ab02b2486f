package io.millrace.core.fs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A directory that several processes may change at once. A file gets its name when it is complete.
 * Nothing keeps a former writer from changes: users give files names that no other writer has, or
 * store only what may be lost. Thread-safe.
 */
public final class UnfencedDirectory implements SharedDirectory {
  private static final String DRAFTS = "drafts";

  private final FileSystem system;
  private final FilePath root;
  private final FilePath drafts;
  private final AtomicLong names = new AtomicLong();

  private UnfencedDirectory(FileSystem system, FilePath root, FilePath drafts) {
    this.system = system;
    this.root = root;
    this.drafts = drafts;
  }

  /**
   * Opens the directory, and creates it with mode 700 if it does not exist. Removes unfinished
   * files of former writers; one that still writes gets an error.
   *
   * @param writer a name that no other writer has or had
   */
  public static UnfencedDirectory open(FileSystem system, FilePath root, String writer)
      throws IOException {
    system.createPrivateDirectory(root);
    system.deleteAll(root.child(DRAFTS));
    FilePath own = root.child(DRAFTS).child(writer);
    system.createDirectories(own);
    return new UnfencedDirectory(system, root, own);
  }

  @Override
  public FilePath child(String name) {
    return root.child(name);
  }

  @Override
  public FileSystem system() {
    return system;
  }

  @Override
  public void createDirectory(FilePath directory) throws IOException {
    system.createDirectories(directory);
  }

  @Override
  public void write(FilePath file, InputStream content) throws IOException {
    FilePath draft = drafts.child(String.valueOf(names.incrementAndGet()));
    try {
      try (OutputStream out = system.create(draft)) {
        content.transferTo(out);
      }
      system.replace(draft, file);
    } catch (IOException e) {
      try {
        system.delete(draft);
      } catch (IOException left) {
        e.addSuppressed(left);
      }
      throw e;
    }
  }

  @Override
  public boolean remove(FilePath path) throws IOException {
    return system.deleteAll(path);
  }

  /** Removes the directory recursively. */
  public void removeAll() throws IOException {
    system.deleteAll(root);
  }

  @Override
  public String toString() {
    return root.toString();
  }
}
