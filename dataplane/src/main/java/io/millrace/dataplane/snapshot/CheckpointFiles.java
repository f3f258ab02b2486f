package io.millrace.dataplane.snapshot;

import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.FileSystems;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files that this process writes for one checkpoint. A thread borrows a file to append a piece
 * and gives it back, so that there are as many files as threads that write at the same time, and
 * not one per task. Thread-safe.
 */
final class CheckpointFiles {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointFiles.class);

  private final FileSystems systems;
  private final String directory;
  private final Optional<LocalStateCopies.CheckpointCopies> copies;
  private final ArrayDeque<StateFile> idle = new ArrayDeque<>();
  private final List<StateFile> all = new ArrayList<>();
  private final Set<StateFile> borrowed = new HashSet<>();
  private boolean discarded;

  CheckpointFiles(
      FileSystems systems, String directory, Optional<LocalStateCopies.CheckpointCopies> copies) {
    this.systems = systems;
    this.directory = directory;
    this.copies = copies;
  }

  /** A file with pieces of several tasks. Belongs to the thread that has borrowed it. */
  static final class StateFile {
    private final FileSystem system;
    private final FilePath path;
    private final OutputStream out;
    private final Optional<LocalStateCopies.CheckpointCopies> copies;

    /** The local copy; empty if there is none, or none any more. */
    private Optional<OutputStream> copy;

    private long size;

    StateFile(
        FileSystem system,
        FilePath path,
        OutputStream out,
        Optional<LocalStateCopies.CheckpointCopies> copies) {
      this.system = system;
      this.path = path;
      this.out = out;
      this.copies = copies;
      this.copy = copies.flatMap(each -> each.create(path.name()));
    }

    String name() {
      return path.name();
    }

    long size() {
      return size;
    }

    void write(byte[] bytes, int from, int length) throws IOException {
      out.write(bytes, from, length);
      size += length;
      if (copy.isPresent()) {
        try {
          copy.get().write(bytes, from, length);
        } catch (IOException e) {
          copyFailed(e);
        }
      }
    }

    private void close() throws IOException {
      out.close();
      if (copy.isPresent()) {
        try {
          copy.get().close();
        } catch (IOException e) {
          copyFailed(e);
        }
      }
    }

    /** Goes on without a copy. */
    private void copyFailed(IOException why) {
      dropCopy();
      copies.ifPresent(each -> each.failed(name(), why));
    }

    private void dropCopy() {
      if (copy.isPresent()) {
        try {
          copy.get().close();
        } catch (IOException e) {
          LOG.debug("The local copy of {} cannot be closed", path, e);
        }
        copy = Optional.empty();
        copies.ifPresent(each -> each.drop(name()));
      }
    }
  }

  /** A file to append a piece to. */
  StateFile borrow() throws IOException {
    synchronized (this) {
      if (discarded) {
        throw new IOException("the checkpoint was aborted");
      }
      StateFile free = idle.poll();
      if (free != null) {
        borrowed.add(free);
        return free;
      }
    }
    FilePath path =
        FilePath.parse(directory)
            .child("state-%016x".formatted(ThreadLocalRandom.current().nextLong()));
    FileSystem system = systems.of(path);
    StateFile created = new StateFile(system, path, system.create(path), copies);
    synchronized (this) {
      all.add(created);
      borrowed.add(created);
      return created;
    }
  }

  void giveBack(StateFile file) {
    boolean close;
    synchronized (this) {
      borrowed.remove(file);
      close = discarded;
      if (!close) {
        idle.add(file);
      }
    }
    if (close) {
      delete(file);
    }
  }

  /** Gives back a file with an incomplete piece, to which nothing is appended any more. */
  void giveUp(StateFile file) {
    boolean close;
    synchronized (this) {
      borrowed.remove(file);
      close = discarded;
    }
    if (close) {
      delete(file);
    }
  }

  /** Whether a piece is in a file. */
  synchronized boolean isEmpty() {
    return all.isEmpty();
  }

  /** Completes the files; no file is borrowed. */
  void close() throws IOException {
    List<StateFile> open;
    synchronized (this) {
      open = List.copyOf(all);
    }
    IOException failure = null;
    for (StateFile file : open) {
      try {
        file.close();
      } catch (IOException e) {
        if (failure == null) {
          failure = new IOException(file.path + ": " + e.getMessage(), e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Deletes all files; those that are borrowed as soon as they are given back. */
  void discard() {
    List<StateFile> unused;
    synchronized (this) {
      discarded = true;
      unused = all.stream().filter(file -> !borrowed.contains(file)).toList();
      idle.clear();
    }
    unused.forEach(CheckpointFiles::delete);
  }

  private static void delete(StateFile file) {
    file.dropCopy();
    try {
      file.out.close();
    } catch (IOException e) {
      LOG.debug("{} of an aborted checkpoint cannot be closed", file.path, e);
    }
    try {
      file.system.delete(file.path);
    } catch (IOException e) {
      // The JobMaster deletes the whole directory.
      LOG.debug("{} of an aborted checkpoint cannot be deleted", file.path, e);
    }
  }
}
