package io.millrace.connector.files;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.FileSystem;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;

/**
 * A range of a file and the position in it, as a format gets it to read.
 *
 * <pre>{@code
 * // Reads the bytes of a range that are left.
 * class LeftBytes {
 *   byte[] read(FileRange range) throws IOException {
 *     long start = range.position().map(FilePosition::offset).orElse(range.from());
 *     try (InputStream in = range.open(start)) {
 *       return in.readNBytes((int) Math.min(range.to() - start, 1 << 20));
 *     }
 *   }
 * }
 * }</pre>
 */
public final class FileRange {
  private final FileSystem system;
  private final FilePath file;
  private final FileSplit split;
  private final Compression compression;

  FileRange(FileSystem system, FileSplit split, Compression compression) {
    this.system = system;
    this.file = FilePath.parse(split.file());
    this.split = split;
    this.compression = compression;
  }

  public FilePath file() {
    return file;
  }

  /** Records that start here or later belong to the range. */
  public long from() {
    return split.from();
  }

  /** Records that start before this belong to the range. */
  public long to() {
    return split.to();
  }

  /** Where to go on; empty at the start of the range. */
  public Optional<FilePosition> position() {
    return split.position();
  }

  /** The size of the file as it is stored. */
  public long length() throws IOException {
    return system.status(file).map(FileStatus::length).orElseThrow(this::missing);
  }

  /**
   * Opens the uncompressed content at an offset. A file that is compressed as a whole is read from
   * its start for that.
   */
  public InputStream open(long offset) throws IOException {
    try {
      if (compression == Compression.NONE) {
        return system.open(file, offset);
      }
      InputStream in = system.open(file, 0);
      try {
        InputStream content = compression.decompress(in);
        skip(content, offset);
        return content;
      } catch (IOException | RuntimeException | Error e) {
        in.close();
        throw e;
      }
    } catch (AccessDeniedException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Input '"
              + file
              + "' may not be read on the machine that runs the source. Allow the user of every"
              + " TaskManager to read it.",
          e);
    } catch (NoSuchFileException e) {
      MillraceException missing = missing();
      missing.addSuppressed(e);
      throw missing;
    }
  }

  private static void skip(InputStream content, long offset) throws IOException {
    try {
      content.skipNBytes(offset);
    } catch (EOFException e) {
      throw new IOException(
          "The file ends before byte "
              + offset
              + " of its content, up to which it was read before. It was cut or replaced.",
          e);
    }
  }

  /** Whether {@link #open} returns the bytes of the file as they are. */
  boolean isCompressed() {
    return compression != Compression.NONE;
  }

  private MillraceException missing() {
    return new MillraceException(
        ErrorKind.EXTERNAL,
        "Input '"
            + file
            + "' was found when the source listed its files, but does not exist any more on the"
            + " machine that reads it. Bring it back; every TaskManager must see it.");
  }
}
