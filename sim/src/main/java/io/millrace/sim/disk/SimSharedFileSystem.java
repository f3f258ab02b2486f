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

/** A shared file system like HDFS: each change is durable when it is acknowledged. */
final class SimSharedFileSystem implements FileSystem {
  private final Mount mount;

  SimSharedFileSystem(Mount mount) {
    this.mount = mount;
  }

  @Override
  public List<String> schemes() {
    return List.of("sim");
  }

  @Override
  public InputStream open(FilePath file, long offset) throws IOException {
    mount.beforeRead();
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
    mount.beforeChange();
    if (mount.isFull()) {
      throw new IOException(file + ": No space left on device");
    }
    Inode created = mount.disk.create(file.path(), false);
    forceParent(file.path());
    mount.afterChange();
    return new OutputStream() {
      @Override
      public void write(int next) throws IOException {
        write(new byte[] {(byte) next}, 0, 1);
      }

      @Override
      public void write(byte[] from, int offset, int length) throws IOException {
        mount.beforeChange();
        if (mount.isFull()) {
          throw new IOException(file + ": No space left on device");
        }
        byte[] next = Arrays.copyOf(created.content, created.content.length + length);
        System.arraycopy(from, offset, next, created.content.length, length);
        created.content = next;
        created.force();
        mount.afterChange();
      }
    };
  }

  @Override
  public void replace(FilePath from, FilePath to) throws IOException {
    mount.beforeChange();
    mount.disk.rename(from.path(), to.path());
    forceParent(from.path());
    forceParent(to.path());
    mount.afterChange();
  }

  @Override
  public boolean replacesInOneStep(FilePath directory) {
    return true;
  }

  @Override
  public boolean delete(FilePath path) throws IOException {
    mount.beforeChange();
    if (mount.disk.find(path.path()).isEmpty()) {
      return false;
    }
    mount.disk.remove(path.path());
    forceParent(path.path());
    mount.afterChange();
    return true;
  }

  @Override
  public List<FileStatus> list(FilePath directory) throws IOException {
    mount.beforeRead();
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
    mount.beforeRead();
    return mount.disk.find(path.path()).map(inode -> status(path, inode));
  }

  @Override
  public void createDirectories(FilePath directory) throws IOException {
    mount.beforeChange();
    create(directory.path());
    mount.afterChange();
  }

  private void create(String path) throws IOException {
    Optional<Inode> known = mount.disk.find(path);
    if (known.isEmpty()) {
      create(SimDisk.parent(path));
      mount.disk.create(path, true);
      forceParent(path);
    } else if (!known.get().isDirectory) {
      throw new FileAlreadyExistsException(path);
    }
  }

  private void forceParent(String path) throws IOException {
    mount.disk.directory(SimDisk.parent(path)).force();
  }

  private static FileStatus status(FilePath path, Inode inode) {
    return new FileStatus(path, inode.isDirectory, inode.content.length);
  }
}
