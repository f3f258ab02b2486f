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
 * A directory that one process at a time may change, on storage that many machines see. Whoever
 * takes it fences off the process that had it, which may be cut off and not know it: from then on
 * none of its changes comes through, and all that came through before can be read.
 *
 * <p>The storage itself sees to that. The holder has a directory of its own here, {@code
 * holder/<name>}, and every change is a rename out of it or into it: content is written there and
 * then given its place, and what is removed is moved there first. Who takes over renames {@code
 * holder} away, so that a rename of the one before finds its own directory gone and fails, however
 * late it comes. A file has its name only when it is complete, whatever was killed in between.
 *
 * <p>Anybody may read. Any number of threads may use it at once.
 */
public final class FencedDirectory {
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
   * Takes the directory from whoever has it; it is made, for its owner only, where it is not there.
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
              + " is on storage that does not rename in one step, so two processes could both"
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
        // Somebody else comes at the same time, and was faster or cleared this away.
        inTheWay = e;
      }
    }
    throw new IOException(root + " cannot be taken over", inTheWay);
  }

  private void moveAway(FilePath directory, FilePath to) throws IOException {
    try {
      system.replace(directory, to);
    } catch (NoSuchFileException isAway) {
      // It never was there, or somebody else did it.
    }
  }

  /**
   * Removes what those that were fenced off, and those that died as they came, have left. Who is
   * coming at this moment finds its directory gone, and tries again.
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

  /** Whether this process may still change the directory. */
  public boolean isHeld() throws IOException {
    return system.status(own).isPresent();
  }

  /** The place of this name in the directory. */
  public FilePath child(String name) {
    return root.child(name);
  }

  /** To read by. */
  public FileSystem system() {
    return system;
  }

  /** Makes a directory in this one. */
  public void createDirectory(FilePath directory) throws IOException {
    system.createDirectories(directory);
  }

  /** Writes a file, in place of the one that is there: whoever looks sees the one or the other. */
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

  /** Removes a file or directory with all that is in it; false if there is none. */
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

  /** Removes the directory with all that is in it, and gives it up. */
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

  /** The content of a file, if it is there. */
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

  /** Somebody else may delete the same. */
  private void deleteAll(FilePath path) throws IOException {
    try {
      system.deleteAll(path);
    } catch (NoSuchFileException | DirectoryNotEmptyException othersAreAtIt) {
      // What is left goes when the directory is next taken.
    }
  }
}
