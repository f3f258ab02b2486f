package io.millrace.sim.disk;

import io.millrace.core.fs.FileSystem;
import io.millrace.sim.FaultyDisk;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimStore.Trouble;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * A disk as one process uses it. It may be in trouble, and the process may be killed between any
 * two operations; one that is dead changes nothing any more.
 */
public final class Mount implements FaultyDisk {
  final SimDisk disk;
  final SimProcess process;
  private final MountedFileSystem files = new MountedFileSystem(this);
  private Trouble trouble = Trouble.NONE;
  private int left = -1;
  private boolean quiet;

  Mount(SimDisk disk, SimProcess process) {
    this.disk = disk;
    this.process = process;
  }

  /** A place on the disk for those who use {@code java.nio.file}. */
  public Path path(String path) {
    return files.getPath(path);
  }

  /**
   * The same disk as storage that many machines see, on which everything is forced as soon as it is
   * answered.
   */
  public FileSystem shared() {
    return new SharedFiles(this);
  }

  @Override
  public void trouble(Trouble now) {
    trouble = now;
  }

  /** The process is killed when it has done so many more changes. */
  public void killAfter(int changes) {
    left = changes;
  }

  /** It lives on. */
  public void spare() {
    left = -1;
  }

  @Override
  public <T> T quietly(Supplier<T> reading) {
    boolean before = quiet;
    quiet = true;
    try {
      return reading.get();
    } finally {
      quiet = before;
    }
  }

  /** Before anything is read. */
  void reads() throws IOException {
    if (quiet) {
      return;
    }
    if (!process.isAlive()) {
      throw new SimProcess.Killed();
    }
    if (trouble == Trouble.REFUSING) {
      throw new IOException("Input/output error");
    }
  }

  /** Before anything is changed. */
  void changes() throws IOException {
    reads();
    if (quiet) {
      throw new IllegalStateException("Who only looks changes nothing");
    }
    if (left == 0) {
      left = -1;
      process.kill();
      throw new SimProcess.Killed();
    }
    left -= left > 0 ? 1 : 0;
  }

  /** Before something is changed that takes room. */
  boolean isFull() {
    return trouble == Trouble.FULL;
  }

  /** After something was changed. */
  void changed() throws IOException {
    if (trouble == Trouble.UNCLEAR && disk.random.nextBoolean()) {
      throw new IOException("Input/output error");
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }
}
