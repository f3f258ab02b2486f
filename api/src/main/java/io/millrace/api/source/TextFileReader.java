package io.millrace.api.source;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystems;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Reads the lines of splits one after the other through one large buffer. */
final class TextFileReader implements SourceReader<String, TextFileSplit> {
  private static final int BUFFER = 256 * 1024;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long LINE_FEEDS = 0x0a0a0a0a0a0a0a0aL;

  private final FileSystems files;
  private final ArrayDeque<TextFileSplit> splits = new ArrayDeque<>();
  private InputStream in;

  private byte[] buffer;

  /** Unread bytes lie in the buffer from {@code position} to {@code limit}. */
  private int position;

  private int limit;

  /** Offset in the file of the buffer's first byte. */
  private long base;

  /** Offset in the file of the line that was read last. */
  private long lineAt;

  TextFileReader(FileSystems files) {
    this.files = files;
  }

  @Override
  public void addSplits(List<TextFileSplit> added) {
    splits.addAll(added);
  }

  @Override
  public List<TextFileSplit> snapshot(long checkpoint) {
    List<TextFileSplit> unread = new ArrayList<>(splits);
    if (in != null) {
      TextFileSplit current = unread.get(0);
      unread.set(
          0, new TextFileSplit(current.file(), current.from(), base + position, current.to()));
    }
    return unread;
  }

  @Override
  public Status poll(SourceOutput<String> out, int most) throws IOException {
    for (int i = 0; i < most; i++) {
      if (!nextLineStarts()) {
        return Status.END;
      }
      out.emit(line());
    }
    return Status.MORE;
  }

  /** Moves to the next line, opening the next split where one is done; false after the last. */
  private boolean nextLineStarts() throws IOException {
    while (!splits.isEmpty()) {
      if (in == null) {
        open(splits.element());
      }
      if (base + position < splits.element().to() && (position < limit || fill())) {
        return true;
      }
      in.close();
      in = null;
      splits.remove();
    }
    return false;
  }

  private void open(TextFileSplit next) throws IOException {
    if (buffer == null) {
      buffer = new byte[BUFFER];
    }
    position = 0;
    limit = 0;
    FilePath file = FilePath.parse(next.file());
    if (next.from() == 0 || next.next() > next.from()) {
      base = next.next();
      in = open(file, base);
      return;
    }
    // The line that contains the byte before the range belongs to the split with its start. If that
    // byte ends a line, the skip ends at the start of the range.
    base = next.from() - 1;
    in = open(file, base);
    position = lineFeed() + 1;
    if (position > limit) {
      position = limit;
    }
  }

  private InputStream open(FilePath file, long offset) throws IOException {
    try {
      return files.of(file).open(file, offset);
    } catch (AccessDeniedException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Input '"
              + file
              + "' may not be read on the machine that runs the source. Allow the user of every"
              + " TaskManager to read it.",
          e);
    }
  }

  private String line() throws IOException {
    int end = lineFeed();
    int start = position;
    lineAt = base + start;
    position = Math.min(end + 1, limit);
    boolean carriage = end < limit && end > start && buffer[end - 1] == '\r';
    return new String(buffer, start, (carriage ? end - 1 : end) - start, StandardCharsets.UTF_8);
  }

  /** Index of the next line feed, {@code limit} if the file ends before one. May move the line. */
  private int lineFeed() throws IOException {
    int searched = position;
    while (true) {
      int found = find(searched);
      if (found < limit) {
        return found;
      }
      int unread = limit - position;
      if (!fill()) {
        return limit;
      }
      searched = position + unread;
    }
  }

  private int find(int from) {
    int i = from;
    for (; i + Long.BYTES <= limit; i += Long.BYTES) {
      long zeroAtLineFeed = (long) LONGS.get(buffer, i) ^ LINE_FEEDS;
      long hits = (zeroAtLineFeed - 0x0101010101010101L) & ~zeroAtLineFeed & 0x8080808080808080L;
      if (hits != 0) {
        return i + Long.numberOfTrailingZeros(hits) / Byte.SIZE;
      }
    }
    while (i < limit && buffer[i] != '\n') {
      i++;
    }
    return i;
  }

  /** Reads more behind the unread bytes, which move to the front; false at the end of the file. */
  private boolean fill() throws IOException {
    if (position > 0) {
      System.arraycopy(buffer, position, buffer, 0, limit - position);
      base += position;
      limit -= position;
      position = 0;
    }
    if (limit == buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.multiplyExact(buffer.length, 2));
    }
    int read = in.read(buffer, limit, buffer.length - limit);
    if (read <= 0) {
      return false;
    }
    limit += read;
    return true;
  }

  @Override
  public Optional<String> position() {
    return splits.isEmpty()
        ? Optional.empty()
        : Optional.of("byte " + lineAt + " of " + splits.element().file());
  }

  @Override
  public void close() throws IOException {
    if (in != null) {
      in.close();
    }
  }
}
