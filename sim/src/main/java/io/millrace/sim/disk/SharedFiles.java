package io.millrace.sim.disk;

import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.FileSystem;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Storage that many machines see, as HDFS is: every change is durable when it is answered. */
final class SharedFiles implements FileSystem {
  private final Mount mount;

  SharedFiles(Mount mount) {
    this.mount = mount;
  }

  @Override
  public List<String> schemes() {
    return List.of("sim");
  }

  @Override
  public InputStream open(FilePath file, long offset) throws IOException {
    mount.reads();
    Inode found = mount.disk.get(file.path());
    if (found.isDirectory) {
      throw new NoSuchFileException(file + " is a directory");
    }
    byte[] content = found.content;
    return new ByteArrayInputStream(
        content, (int) offset, Math.max(0, content.length - (int) offset));
  }

  @Override
  public OutputStream create(FilePath file) throws IOException {
    mount.changes();
    if (mount.isFull()) {
      throw new IOException(file + ": No space left on device");
    }
    Inode made = mount.disk.create(file.path(), false);
    forced(file.path());
    mount.changed();
    return new OutputStream() {
      @Override
      public void write(int next) throws IOException {
        write(new byte[] {(byte) next}, 0, 1);
      }

      @Override
      public void write(byte[] from, int offset, int length) throws IOException {
        mount.changes();
        if (mount.isFull()) {
          throw new IOException(file + ": No space left on device");
        }
        byte[] next = Arrays.copyOf(made.content, made.content.length + length);
        System.arraycopy(from, offset, next, made.content.length, length);
        made.content = next;
        made.force();
        mount.changed();
      }
    };
  }

  @Override
  public void replace(FilePath from, FilePath to) throws IOException {
    mount.changes();
    mount.disk.rename(from.path(), to.path());
    forced(from.path());
    forced(to.path());
    mount.changed();
  }

  @Override
  public boolean replacesInOneStep(FilePath directory) {
    return true;
  }

  @Override
  public boolean delete(FilePath path) throws IOException {
    mount.changes();
    if (mount.disk.find(path.path()).isEmpty()) {
      return false;
    }
    mount.disk.remove(path.path());
    forced(path.path());
    mount.changed();
    return true;
  }

  @Override
  public List<FileStatus> list(FilePath directory) throws IOException {
    mount.reads();
    List<FileStatus> found = new ArrayList<>();
    mount
        .disk
        .directory(directory.path())
        .entries
        .forEach((name, inode) -> found.add(status(directory.child(name), inode)));
    return found;
  }

  @Override
  public Optional<FileStatus> status(FilePath path) throws IOException {
    mount.reads();
    return mount.disk.find(path.path()).map(inode -> status(path, inode));
  }

  @Override
  public void createDirectories(FilePath directory) throws IOException {
    mount.changes();
    make(directory.path());
    mount.changed();
  }

  private void make(String path) throws IOException {
    Optional<Inode> known = mount.disk.find(path);
    if (known.isEmpty()) {
      make(SimDisk.parent(path));
      mount.disk.create(path, true);
      forced(path);
    } else if (!known.get().isDirectory) {
      throw new FileAlreadyExistsException(path);
    }
  }

  private void forced(String path) throws IOException {
    mount.disk.directory(SimDisk.parent(path)).force();
  }

  private static FileStatus status(FilePath path, Inode inode) {
    return new FileStatus(path, inode.isDirectory, inode.content.length);
  }
}
