package io.millrace.connector.files;

import io.millrace.api.format.DeserializationSchema;
import io.millrace.core.MemorySize;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The lines of a range, read through one large buffer. */
final class LineRecords<T> implements FileRecords<T> {
  private static final int BUFFER = 256 * 1024;
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

  private final FileRange range;
  private final LineFormat.Lines lines;
  private final DeserializationSchema<T> parser;
  private final InputStream in;
  private byte[] buffer = new byte[BUFFER];

  /** Unread bytes lie in the buffer from {@code position} to {@code limit}. */
  private int position;

  private int limit;

  /** Offset in the content of the buffer's first byte. */
  private long base;

  /** The current line lies in the buffer from {@code start} to {@code end}. */
  private int start;

  private int end;

  private LineRecords(
      FileRange range, LineFormat.Lines lines, DeserializationSchema<T> parser, long offset)
      throws IOException {
    this.range = range;
    this.lines = lines;
    this.parser = parser;
    this.base = offset;
    this.in = range.open(offset);
  }

  static <T> LineRecords<T> open(
      FileRange range, LineFormat.Lines lines, DeserializationSchema<T> parser) throws IOException {
    boolean middle = range.position().isEmpty() && range.from() > 0;
    // The line that contains the byte before the range belongs to the range with its start. If that
    // byte ends a line, the skip ends at the start of this range.
    long offset =
        range.position().map(FilePosition::offset).orElse(middle ? range.from() - 1 : range.from());
    LineRecords<T> records = new LineRecords<>(range, lines, parser, offset);
    try {
      if (middle) {
        records.line();
      } else if (offset == 0 && lines.header() != null) {
        records.header();
      }
      return records;
    } catch (IOException | RuntimeException e) {
      records.close();
      throw e;
    }
  }

  private void header() throws IOException {
    if (position == limit && !fill()) {
      return;
    }
    line();
    boolean marked =
        end - start >= BYTE_ORDER_MARK.length
            && Arrays.equals(
                buffer,
                start,
                start + BYTE_ORDER_MARK.length,
                BYTE_ORDER_MARK,
                0,
                BYTE_ORDER_MARK.length);
    int from = marked ? start + BYTE_ORDER_MARK.length : start;
    String found = new String(buffer, from, end - from, StandardCharsets.UTF_8);
    if (!found.equals(lines.header())) {
      throw new MillraceException(
          ErrorKind.USER,
          "File '"
              + range.file()
              + "' has the header '"
              + (found.length() > 200 ? found.substring(0, 200) + "…" : found)
              + "', but the format of the source expects '"
              + lines.header()
              + "'. Correct the columns of the format, or read the file with another source.");
    }
  }

  @Override
  public boolean advance() throws IOException {
    do {
      if (base + position >= range.to() || (position == limit && !fill())) {
        start = position;
        end = position;
        checkLength();
        return false;
      }
      line();
    } while (lines.skipsEmpty() && start == end);
    return true;
  }

  /** A file that became shorter after it was listed has lost records that were counted on. */
  private void checkLength() throws IOException {
    if (!range.isCompressed() && range.to() != Long.MAX_VALUE && base + position < range.to()) {
      throw new IOException(
          "The file ends at byte "
              + (base + position)
              + ", but had at least "
              + range.to()
              + " bytes when the source found it. It was cut or replaced.");
    }
  }

  private void line() throws IOException {
    int feed = lineFeed();
    start = position;
    position = Math.min(feed + 1, limit);
    end = feed < limit && feed > start && buffer[feed - 1] == '\r' ? feed - 1 : feed;
  }

  /** Index of the line feed that ends the line, {@code limit} at the end of the file. */
  private int lineFeed() throws IOException {
    int searched = position;
    boolean quoted = false;
    while (true) {
      if (!lines.isQuoted()) {
        while (searched < limit && buffer[searched] != '\n') {
          searched++;
        }
        if (searched < limit) {
          return searched;
        }
      }
      for (; searched < limit; searched++) {
        byte each = buffer[searched];
        if (each == '\n' && !quoted) {
          return searched;
        }
        if (each == '"') {
          quoted = !quoted;
        }
      }
      int unread = limit - position;
      if (unread > lines.longest()) {
        throw new IOException(
            "The line is longer than "
                + new MemorySize(lines.longest())
                + ". If that is no mistake, raise LineFormat.longestLine");
      }
      if (!fill()) {
        return limit;
      }
      searched = position + unread;
    }
  }

  /** Reads more behind the unread bytes, which move to the front; false at the end of the file. */
  private boolean fill() throws IOException {
    if (position > 0) {
      System.arraycopy(buffer, position, buffer, 0, limit - position);
      base += position;
      limit -= position;
      position = 0;
      start = 0;
      end = 0;
    }
    if (limit == buffer.length) {
      buffer = Arrays.copyOf(buffer, buffer.length * 2);
    }
    int read = in.read(buffer, limit, buffer.length - limit);
    if (read <= 0) {
      return false;
    }
    limit += read;
    return true;
  }

  @Override
  public T record() throws Exception {
    return parser.deserialize(bytes());
  }

  @Override
  public byte[] bytes() {
    return Arrays.copyOfRange(buffer, start, end);
  }

  @Override
  public FilePosition position() {
    return new FilePosition(base + position, 0);
  }

  @Override
  public String place() {
    return "byte " + (base + start);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
