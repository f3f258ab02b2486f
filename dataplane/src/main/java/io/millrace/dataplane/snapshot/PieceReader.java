package io.millrace.dataplane.snapshot;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.task.checkpoint.CheckpointStorage;
import io.millrace.task.checkpoint.StateHandle;
import io.millrace.task.checkpoint.TaskRestore;
import io.millrace.task.checkpoint.UnusableStateException;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a piece: its footer, and batches from an offset on. It checks every checksum before it uses
 * the bytes. An error names the file and what is wrong with it.
 */
final class PieceReader {
  private static final Logger LOG = LoggerFactory.getLogger(PieceReader.class);

  private final StateFileSource source;
  private final StateHandle handle;
  private final String name;
  private final FilePath path;
  private final Optional<Path> copy;
  private final String directory;
  private final long start;

  PieceReader(StateFileSource source, TaskRestore from, StateHandle handle) {
    this.source = source;
    this.handle = handle;
    this.directory = from.directory();
    if (handle instanceof StateHandle.FileSegment segment) {
      this.path = StateFileSource.path(from, segment);
      this.copy = source.copy(segment);
      this.start = segment.offset();
      this.name =
          "State file %s of checkpoint %d (bytes %d to %d)"
              .formatted(
                  path, from.checkpoint(), segment.offset(), segment.offset() + segment.size());
    } else {
      this.path = null;
      this.copy = Optional.empty();
      this.start = 0;
      this.name = "A piece in the metadata of checkpoint " + from.checkpoint();
    }
  }

  /** The piece as the subject of a sentence. */
  String name() {
    return name;
  }

  private InputStream open(long offset) throws IOException {
    if (handle instanceof StateHandle.Inline inline) {
      return new ByteArrayInputStream(
          inline.bytes().unsafeArray(), (int) offset, (int) (handle.size() - offset));
    }
    if (copy.isPresent()) {
      try {
        return open(copy.get(), start + offset);
      } catch (IOException e) {
        LOG.debug("The local copy {} of a state file cannot be read", copy.get(), e);
      }
    }
    return source.storage().of(path).open(path, start + offset);
  }

  private static InputStream open(Path file, long offset) throws IOException {
    InputStream in = Files.newInputStream(file);
    try {
      in.skipNBytes(offset);
      return in;
    } catch (IOException e) {
      in.close();
      throw e;
    }
  }

  /** Decodes a footer. */
  interface FooterReader<F> {
    F read(int version, ByteArrayInput in);
  }

  /** The bytes of a file that is no piece. */
  InputStream content() {
    try {
      return open(0);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** Reads from {@link #content}. */
  int read(InputStream content, byte[] buffer, int length) {
    try {
      return content.read(buffer, 0, length);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** Reads and checks header and footer. */
  <F> F footer(int type, FooterReader<F> reader) {
    long size = handle.size();
    if (size < PieceFormat.HEADER_BYTES + PieceFormat.TRAILER_BYTES) {
      throw damaged("it has only " + size + " bytes");
    }
    byte[] header = bytes(0, PieceFormat.HEADER_BYTES);
    ByteArrayInput in = new ByteArrayInput(header, 0, header.length);
    if (in.readInt() != PieceFormat.MAGIC) {
      throw damaged("it does not start with the signature of a state file");
    }
    int version = in.readByte();
    if (version < PieceFormat.ONE_WATERMARK_VERSION || version > PieceFormat.VERSION) {
      throw new UnusableStateException(
          ErrorKind.USER,
          name
              + " has format version "
              + version
              + "; this release reads versions "
              + PieceFormat.ONE_WATERMARK_VERSION
              + " to "
              + PieceFormat.VERSION
              + ". Use a release that reads it.");
    }
    if (in.readByte() != type) {
      throw damaged("it contains another kind of state");
    }
    byte[] trailer = bytes(size - PieceFormat.TRAILER_BYTES, PieceFormat.TRAILER_BYTES);
    ByteArrayInput end = new ByteArrayInput(trailer, 0, trailer.length);
    int length = end.readInt();
    int checksum = end.readInt();
    if (end.readInt() != PieceFormat.MAGIC
        || length < 0
        || length > size - PieceFormat.HEADER_BYTES - PieceFormat.TRAILER_BYTES
        || length > PieceFormat.MAX_PART_BYTES) {
      throw damaged("it does not end with a valid footer");
    }
    byte[] footer = bytes(size - PieceFormat.TRAILER_BYTES - length, length);
    check(footer, checksum, "footer");
    try {
      return reader.read(version, new ByteArrayInput(footer, 0, footer.length));
    } catch (RuntimeException e) {
      throw damaged("its footer is malformed: " + Failure.sentence(e), e);
    }
  }

  private byte[] bytes(long offset, int length) {
    try (InputStream in = open(offset)) {
      byte[] bytes = in.readNBytes(length);
      if (bytes.length < length) {
        throw truncated(offset + bytes.length);
      }
      return bytes;
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** Takes the bytes of a batch. */
  interface BatchConsumer {
    void accept(int number, ByteArrayInput batch);
  }

  /** Refuses batches for which the piece is too short, before anything is allocated for them. */
  void checkBatches(long offset, long count) {
    if (offset < PieceFormat.HEADER_BYTES
        || offset > handle.size()
        || count < 0
        || count > (handle.size() - offset) / PieceFormat.BATCH_HEADER_BYTES) {
      throw damaged(count + " batches at byte " + offset + " are not in it");
    }
  }

  /** Reads batches in order, until the thread is interrupted. */
  void batches(long offset, long count, BatchConsumer to) {
    checkBatches(offset, count);
    long at = offset;
    try (DataInputStream in = new DataInputStream(new BufferedInputStream(open(offset), 1 << 16))) {
      byte[] head = new byte[PieceFormat.BATCH_HEADER_BYTES];
      for (int i = 0; i < count; i++) {
        if (Thread.currentThread().isInterrupted()) {
          // The state may be large; a task that is cancelled does not restore the rest of it.
          throw new InterruptedIOException("the thread that reads it was interrupted");
        }
        at = read(in, head, at);
        ByteArrayInput header = new ByteArrayInput(head, 0, head.length);
        int length = header.readInt();
        if (length < 0 || length > PieceFormat.MAX_PART_BYTES || length > handle.size() - at) {
          throw damaged("the length of the batch at byte " + at + " is " + length);
        }
        byte[] batch = new byte[length];
        long begin = at;
        at = read(in, batch, at);
        check(batch, header.readInt(), "batch at byte " + begin);
        try {
          to.accept(i, new ByteArrayInput(batch, 0, length));
        } catch (UnusableStateException e) {
          throw e;
        } catch (MillraceException e) {
          throw new UnusableStateException(
              e.kind(), name + " cannot be restored: " + e.getMessage(), e);
        }
      }
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private long read(DataInputStream in, byte[] bytes, long at) throws IOException {
    try {
      in.readFully(bytes);
    } catch (EOFException e) {
      throw truncated(at);
    }
    return at + bytes.length;
  }

  private void check(byte[] bytes, int checksum, String what) {
    if (PieceWriter.checksum(bytes, 0, bytes.length) != checksum) {
      throw damaged("the checksum of its " + what + " is wrong");
    }
  }

  private MillraceException truncated(long from) {
    return damaged("it ends early, at or after byte " + (start + from));
  }

  MillraceException damaged(String what) {
    return new UnusableStateException(ErrorKind.EXTERNAL, name + " is damaged: " + what);
  }

  private MillraceException damaged(String what, Exception cause) {
    return new UnusableStateException(ErrorKind.EXTERNAL, name + " is damaged: " + what, cause);
  }

  /** Whether the checkpoint is there: a file that is missing then does not come back. */
  private boolean isStorageThere() {
    FilePath metadata = FilePath.parse(directory).child(CheckpointStorage.METADATA);
    try {
      return source.storage().of(metadata).status(metadata).isPresent();
    } catch (IOException e) {
      return false;
    }
  }

  private MillraceException unreadable(IOException e) {
    if (!(e instanceof NoSuchFileException)) {
      return new MillraceException(
          ErrorKind.EXTERNAL, name + " cannot be read: " + Failure.sentence(e), e);
    }
    return isStorageThere()
        ? new UnusableStateException(ErrorKind.EXTERNAL, name + " is missing", e)
        : new MillraceException(
            ErrorKind.EXTERNAL,
            name
                + " is missing, and the metadata of the checkpoint with it: the storage may not be"
                + " mounted",
            e);
  }
}
