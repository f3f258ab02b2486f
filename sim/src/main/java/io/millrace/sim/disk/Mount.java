package io.millrace.sim.disk;

import io.millrace.core.fs.FileSystem;
import io.millrace.sim.FaultyDisk;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimStore.FailureMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * The disk as seen by one process. Faults can be injected, and the process can be killed between
 * two operations. Operations of a dead process have no effect.
 */
public final class Mount implements FaultyDisk {
  final SimDisk disk;
  final SimProcess process;
  private final MountedFileSystem files = new MountedFileSystem(this);
  private FailureMode failureMode = FailureMode.NONE;
  private int changesUntilKill = -1;
  private boolean readOnly;

  Mount(SimDisk disk, SimProcess process) {
    this.disk = disk;
    this.process = process;
  }

  /** A path for code that uses {@code java.nio.file}. */
  public Path path(String path) {
    return files.getPath(path);
  }

  /** The same disk as a shared file system, on which each acknowledged change is durable. */
  public FileSystem shared() {
    return new SimSharedFileSystem(this);
  }

  @Override
  public void failureMode(FailureMode now) {
    failureMode = now;
  }

  /** Kills the process after this number of further changes. */
  public void killAfter(int changes) {
    changesUntilKill = changes;
  }

  /** Cancels {@link #killAfter}. */
  public void cancelKill() {
    changesUntilKill = -1;
  }

  @Override
  public <T> T quietly(Supplier<T> reading) {
    boolean before = readOnly;
    readOnly = true;
    try {
      return reading.get();
    } finally {
      readOnly = before;
    }
  }

  /** Called before each read. */
  void beforeRead() throws IOException {
    if (readOnly) {
      return;
    }
    if (!process.isAlive()) {
      throw new SimProcess.Killed();
    }
    if (failureMode == FailureMode.UNAVAILABLE) {
      throw new IOException("Input/output error");
    }
  }

  /** Called before each change. */
  void beforeChange() throws IOException {
    beforeRead();
    if (readOnly) {
      throw new IllegalStateException("A change during a read without faults");
    }
    if (changesUntilKill == 0) {
      changesUntilKill = -1;
      process.kill();
      throw new SimProcess.Killed();
    }
    changesUntilKill -= changesUntilKill > 0 ? 1 : 0;
  }

  /** Whether changes that need space fail. */
  boolean isFull() {
    return failureMode == FailureMode.FULL;
  }

  /** Called after each change. */
  void afterChange() throws IOException {
    if (failureMode == FailureMode.OUTCOME_UNKNOWN && disk.random.nextBoolean()) {
      throw new IOException("Input/output error");
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }
}
