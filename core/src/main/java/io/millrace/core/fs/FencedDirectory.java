package io.millrace.core.fs;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A directory on shared storage that one process at a time may change. A process that takes it over
 * fences off the previous holder, which may be partitioned and not know it: later changes of that
 * holder fail, and all its earlier changes are visible.
 *
 * <p>The storage enforces this. The holder has its own directory, {@code holder/<name>}, and every
 * change is a rename out of it or into it: a file is written there and then renamed to its place,
 * and a removed file is first renamed into it. The next holder renames {@code holder} away. A late
 * rename of the previous holder then fails, because its directory is gone. A file gets its name
 * only when it is complete.
 *
 * <p>Every process may read. Thread-safe.
 */
public final class FencedDirectory implements SharedDirectory {
  private static final String HOLDER = "holder";
  private static final String COMING = "coming-";
  private static final String FENCED = "fenced-";
  private static final int TRIES = 10;

  private final FileSystem system;
  private final FilePath root;
  private final FilePath own;
  private final AtomicLong names = new AtomicLong();

  private FencedDirectory(FileSystem system, FilePath root, FilePath own) {
    this.system = system;
    this.root = root;
    this.own = own;
  }

  /**
   * Takes the directory over from its holder. Creates it with mode 700 if it does not exist.
   *
   * @param holder a name that no other process has or had
   */
  public static FencedDirectory take(FileSystem system, FilePath root, String holder)
      throws IOException {
    system.createPrivateDirectory(root);
    if (!system.replacesInOneStep(root)) {
      throw new MillraceException(
          ErrorKind.USER,
          root
              + " is on storage without atomic rename, so two processes could both"
              + " change it. Use a directory in HDFS.");
    }
    FencedDirectory taken = new FencedDirectory(system, root, root.child(HOLDER).child(holder));
    taken.fenceOffOthers(holder);
    taken.clear();
    return taken;
  }

  private void fenceOffOthers(String holder) throws IOException {
    FilePath coming = root.child(COMING + holder);
    IOException inTheWay = null;
    for (int attempt = 1; attempt <= TRIES; attempt++) {
      try {
        system.createDirectories(coming.child(holder));
        moveAway(root.child(HOLDER), root.child(FENCED + holder + "-" + attempt));
        system.replace(coming, root.child(HOLDER));
        if (isHeld()) {
          return;
        }
      } catch (IOException e) {
        // Another process takes over at the same time; it was faster or has deleted this directory.
        inTheWay = e;
      }
    }
    throw new IOException(root + " cannot be taken over", inTheWay);
  }

  private void moveAway(FilePath directory, FilePath to) throws IOException {
    try {
      system.replace(directory, to);
    } catch (NoSuchFileException isAway) {
      // It did not exist, or another process has moved it.
    }
  }

  /**
   * Removes what former holders and killed processes have left. A process that takes over at the
   * same time finds its directory gone and retries.
   */
  private void clear() throws IOException {
    for (FileStatus entry : system.list(root)) {
      String name = entry.path().name();
      if (name.startsWith(COMING)) {
        moveAway(entry.path(), root.child(FENCED + own.name() + "-" + name));
      }
    }
    for (FileStatus entry : system.list(root)) {
      if (entry.path().name().startsWith(FENCED)) {
        deleteAll(entry.path());
      }
    }
  }

  /** Whether this process is still the holder. */
  public boolean isHeld() throws IOException {
    return system.status(own).isPresent();
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
    FilePath draft = unused();
    fenced(
        () -> {
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
          return true;
        });
  }

  @Override
  public boolean remove(FilePath path) throws IOException {
    FilePath removed = unused();
    return fenced(
        () -> {
          try {
            system.replace(path, removed);
          } catch (NoSuchFileException e) {
            if (system.status(path).isEmpty() && isHeld()) {
              return false;
            }
            throw e;
          }
          deleteAll(removed);
          return true;
        });
  }

  /** Removes the directory recursively and gives it up. */
  public void removeAll() throws IOException {
    for (FileStatus entry : system.list(root)) {
      if (!entry.path().name().equals(HOLDER)) {
        remove(entry.path());
      }
    }
    deleteAll(own);
    try {
      system.delete(root.child(HOLDER));
      system.delete(root);
    } catch (DirectoryNotEmptyException e) {
      throw new FencedOffException(root, e);
    }
  }

  /** The content of a file; empty if it does not exist. */
  public static Optional<Bytes> read(FileSystem system, FilePath file) throws IOException {
    try (InputStream in = system.open(file, 0)) {
      return Optional.of(Bytes.wrap(in.readAllBytes()));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  @Override
  public String toString() {
    return root.toString();
  }

  private FilePath unused() {
    return own.child(String.valueOf(names.incrementAndGet()));
  }

  private interface Change {
    boolean make() throws IOException;
  }

  private boolean fenced(Change change) throws IOException {
    try {
      return change.make();
    } catch (IOException e) {
      boolean held;
      try {
        held = isHeld();
      } catch (IOException unknown) {
        e.addSuppressed(unknown);
        throw e;
      }
      if (!held) {
        throw new FencedOffException(root, e);
      }
      throw e;
    }
  }

  /** Ignores files that another process deletes at the same time. */
  private void deleteAll(FilePath path) throws IOException {
    try {
      system.deleteAll(path);
    } catch (NoSuchFileException | DirectoryNotEmptyException othersAreAtIt) {
      // The next take-over deletes the rest.
    }
  }
}
