package io.millrace.sim.disk;

import io.millrace.sim.SimProcess;
import io.millrace.sim.Simulation;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Optional;
import java.util.Random;

/**
 * Files that outlive processes. Writes are visible to all processes at once. Changes that are not
 * forced may be lost with the power. The entries of a directory are forced with the directory, and
 * the entry of a new directory with its parent.
 */
public final class SimDisk {
  final Random random;
  private final Inode root = new Inode(true);
  private int losses;

  public SimDisk(Simulation simulation) {
    this.random = simulation.random("disk");
  }

  /** The disk as seen by one process. */
  public Mount mount(SimProcess process) {
    return new Mount(this, process);
  }

  /** Loses power. The processes of the machine must be dead. */
  public void losePower() {
    losses += root.losePower(random) ? 1 : 0;
  }

  /** How many power losses have lost changes. */
  public int losses() {
    return losses;
  }

  Optional<Inode> find(String path) {
    Inode at = root;
    for (String name : path.substring(1).split("/")) {
      if (name.isEmpty()) {
        continue;
      }
      at = at.isDirectory ? at.entries.get(name) : null;
      if (at == null) {
        return Optional.empty();
      }
    }
    return Optional.of(at);
  }

  Inode get(String path) throws IOException {
    return find(path).orElseThrow(() -> new NoSuchFileException(path));
  }

  Inode directory(String path) throws IOException {
    Inode found = get(path);
    if (!found.isDirectory) {
      throw new NotDirectoryException(path);
    }
    return found;
  }

  Inode create(String path, boolean isDirectory) throws IOException {
    Inode parent = directory(parent(path));
    if (parent.entries.containsKey(name(path))) {
      throw new FileAlreadyExistsException(path);
    }
    Inode created = new Inode(isDirectory);
    parent.change(names -> names.put(name(path), created));
    return created;
  }

  void remove(String path) throws IOException {
    if (!get(path).entries.isEmpty()) {
      throw new DirectoryNotEmptyException(path);
    }
    directory(parent(path)).change(names -> names.remove(name(path)));
  }

  /** Atomic for all readers. */
  void rename(String from, String to) throws IOException {
    Inode moved = get(from);
    Inode source = directory(parent(from));
    Inode target = directory(parent(to));
    Optional<Inode> replaced = find(to);
    if (replaced.isPresent() && replaced.get().isDirectory != moved.isDirectory) {
      throw new FileAlreadyExistsException(to);
    }
    if (replaced.isPresent() && !replaced.get().entries.isEmpty()) {
      throw new DirectoryNotEmptyException(to);
    }
    if (source == target) {
      source.change(
          names -> {
            names.remove(name(from));
            names.put(name(to), moved);
          });
    } else {
      target.change(names -> names.put(name(to), moved));
      source.change(names -> names.remove(name(from)));
    }
  }

  static String parent(String path) {
    int slash = path.lastIndexOf('/');
    return slash == 0 ? "/" : path.substring(0, slash);
  }

  static String name(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
