package io.millrace.sim.disk;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The provider of {@code java.nio.file}, with the methods that the stores of production call. */
final class MountedFiles extends FileSystemProvider {
  private final Mount mount;

  MountedFiles(Mount mount) {
    this.mount = mount;
  }

  @Override
  public String getScheme() {
    return "sim";
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Path getPath(URI uri) {
    throw new UnsupportedOperationException();
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return newFileChannel(path, options, attributes);
  }

  @Override
  public FileChannel newFileChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    String file = path.toString();
    Optional<Inode> known = mount.disk.find(file);
    boolean creates =
        options.contains(StandardOpenOption.CREATE_NEW)
            || (options.contains(StandardOpenOption.CREATE) && known.isEmpty());
    if (creates) {
      mount.beforeChange();
      if (mount.isFull()) {
        throw new IOException(file + ": No space left on device");
      }
      mount.disk.create(file, false);
      mount.afterChange();
    } else {
      mount.beforeRead();
    }
    DiskChannel channel = new DiskChannel(mount, mount.disk.get(file));
    if (options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
      channel.truncate(0);
    }
    return channel;
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
    mount.beforeRead();
    List<Path> found = new ArrayList<>();
    for (String name : mount.disk.directory(directory.toString()).entries.keySet()) {
      Path entry = directory.resolve(name);
      if (filter.accept(entry)) {
        found.add(entry);
      }
    }
    return new DirectoryStream<>() {
      @Override
      public Iterator<Path> iterator() {
        return found.iterator();
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
    mount.beforeChange();
    mount.disk.create(directory.toString(), true);
    mount.afterChange();
  }

  @Override
  public void delete(Path path) throws IOException {
    mount.beforeChange();
    mount.disk.remove(path.toString());
    mount.afterChange();
  }

  @Override
  public void copy(Path from, Path to, CopyOption... options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void move(Path from, Path to, CopyOption... options) throws IOException {
    mount.beforeChange();
    mount.disk.rename(from.toString(), to.toString());
    mount.afterChange();
  }

  @Override
  public boolean isSameFile(Path one, Path other) {
    return one.equals(other);
  }

  @Override
  public boolean isHidden(Path path) {
    return false;
  }

  @Override
  public FileStore getFileStore(Path path) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    mount.beforeRead();
    mount.disk.get(path.toString());
  }

  @Override
  public <V extends FileAttributeView> V getFileAttributeView(
      Path path, Class<V> type, LinkOption... options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    mount.beforeRead();
    return type.cast(new Attributes(mount.disk.get(path.toString())));
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String names, LinkOption... options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void setAttribute(Path path, String name, Object value, LinkOption... options) {
    throw new UnsupportedOperationException();
  }

  private record Attributes(Inode inode) implements BasicFileAttributes {
    private static final FileTime EPOCH = FileTime.fromMillis(0);

    @Override
    public FileTime lastModifiedTime() {
      return EPOCH;
    }

    @Override
    public FileTime lastAccessTime() {
      return EPOCH;
    }

    @Override
    public FileTime creationTime() {
      return EPOCH;
    }

    @Override
    public boolean isRegularFile() {
      return !inode.isDirectory;
    }

    @Override
    public boolean isDirectory() {
      return inode.isDirectory;
    }

    @Override
    public boolean isSymbolicLink() {
      return false;
    }

    @Override
    public boolean isOther() {
      return false;
    }

    @Override
    public long size() {
      return inode.content.length;
    }

    @Override
    public Object fileKey() {
      return inode;
    }
  }
}
