package io.millrace.sim.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import java.util.Optional;

/** An open file, or a directory that was opened to be forced. */
final class DiskChannel extends FileChannel {
  private final Mount mount;
  private final Inode inode;
  private long position;
  private boolean locked;

  DiskChannel(Mount mount, Inode inode) {
    this.mount = mount;
    this.inode = inode;
  }

  @Override
  public int read(ByteBuffer to) throws IOException {
    int read = read(to, position);
    position += Math.max(0, read);
    return read;
  }

  @Override
  public int read(ByteBuffer to, long from) throws IOException {
    mount.beforeRead();
    int count = (int) Math.min(to.remaining(), inode.content.length - from);
    if (count <= 0) {
      return to.hasRemaining() ? -1 : 0;
    }
    to.put(inode.content, (int) from, count);
    return count;
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    int written = write(from, position);
    position += written;
    return written;
  }

  /** On a full disk half of the bytes are written before the error. */
  @Override
  public int write(ByteBuffer from, long at) throws IOException {
    mount.beforeChange();
    int count = mount.isFull() ? from.remaining() / 2 : from.remaining();
    byte[] next = Arrays.copyOf(inode.content, Math.max(inode.content.length, (int) at + count));
    from.get(next, (int) at, count);
    inode.content = next;
    if (mount.isFull()) {
      throw new IOException("No space left on device");
    }
    mount.afterChange();
    return count;
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    mount.beforeChange();
    inode.content = Arrays.copyOf(inode.content, (int) Math.min(size, inode.content.length));
    return this;
  }

  @Override
  public void force(boolean all) throws IOException {
    mount.beforeChange();
    inode.force();
    mount.afterChange();
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public FileChannel position(long now) {
    position = now;
    return this;
  }

  @Override
  public long size() {
    return inode.content.length;
  }

  @Override
  public FileLock tryLock(long from, long size, boolean shared) throws IOException {
    mount.beforeChange();
    if (inode.lock.filter(Mount::isAlive).isPresent()) {
      return null;
    }
    inode.lock = Optional.of(mount);
    locked = true;
    return new Lock(this, from, size, shared);
  }

  private static final class Lock extends FileLock {
    private boolean valid = true;

    Lock(DiskChannel channel, long from, long size, boolean shared) {
      super(channel, from, size, shared);
    }

    @Override
    public boolean isValid() {
      return valid;
    }

    @Override
    public void release() {
      valid = false;
      ((DiskChannel) channel()).inode.lock = Optional.empty();
    }
  }

  @Override
  public FileLock lock(long from, long size, boolean shared) {
    throw new UnsupportedOperationException();
  }

  /** Closing the channel releases its lock. */
  @Override
  protected void implCloseChannel() {
    if (locked) {
      inode.lock = Optional.empty();
    }
  }

  @Override
  public long read(ByteBuffer[] to, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferTo(long from, long count, WritableByteChannel target) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long from, long count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long from, long size) {
    throw new UnsupportedOperationException();
  }
}
