package io.millrace.connector.files;

import io.millrace.api.format.DeserializationSchema;
import io.millrace.api.format.SerializationSchema;
import io.millrace.api.format.StringFormat;
import io.millrace.core.MemorySize;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * One record per line, as in text, CSV and JSON lines. Lines end with {@code \n} or {@code \r\n}.
 * Large files are divided: a line belongs to the range in which it starts.
 *
 * <pre>{@code
 * LineFormat<String> text = LineFormat.text();
 * LineFormat<Order> json = LineFormat.of(JsonFormat.of(Order.class));
 * LineFormat<Order> csv =
 *     LineFormat.of(CsvFormat.of(Order.class, "customer", "cents")).header("customer,cents");
 * }</pre>
 *
 * <p>A line without characters is a record of {@link #text}. In other formats it is none.
 *
 * <p>Written, a record is a line: one with a line feed in it, or with a carriage return at its end,
 * would be read as something else and is refused.
 *
 * @param <T> the records
 */
public final class LineFormat<T> implements FileReadFormat<T>, FileWriteFormat<T> {
  private static final long serialVersionUID = 1L;
  private static final long LONGEST = MemorySize.ofMebi(64).bytes();

  /** Null if the format only writes. */
  private final DeserializationSchema<T> parser;

  /** Null if the format only reads. */
  private final SerializationSchema<T> serializer;

  private final Lines lines;

  /**
   * How lines are recognised.
   *
   * @param header null for none
   */
  record Lines(String header, boolean isQuoted, boolean skipsEmpty, long longest)
      implements java.io.Serializable {
    private static final long serialVersionUID = 1L;
  }

  private LineFormat(
      DeserializationSchema<T> parser, SerializationSchema<T> serializer, Lines lines) {
    this.parser = parser;
    this.serializer = serializer;
    this.lines = lines;
  }

  /** Each line is a text in UTF-8. */
  public static LineFormat<String> text() {
    StringFormat text = new StringFormat();
    return new LineFormat<>(text, text, new Lines(null, false, false, LONGEST));
  }

  /** Each line is a message of this format, for example of JSON. */
  public static <T, F extends DeserializationSchema<T> & SerializationSchema<T>> LineFormat<T> of(
      F format) {
    Objects.requireNonNull(format, "format");
    return new LineFormat<>(format, format, new Lines(null, false, true, LONGEST));
  }

  /** The same for a source only; a lambda serves. */
  public static <T> LineFormat<T> reading(DeserializationSchema<T> parser) {
    return new LineFormat<>(
        Objects.requireNonNull(parser, "parser"), null, new Lines(null, false, true, LONGEST));
  }

  /** The same for a sink only; a lambda serves. */
  public static <T> LineFormat<T> writing(SerializationSchema<T> serializer) {
    return new LineFormat<>(
        null,
        Objects.requireNonNull(serializer, "serializer"),
        new Lines(null, false, true, LONGEST));
  }

  /**
   * The first line of each file, as in CSV: a sink writes it, a source leaves it out and fails if
   * it is another one. A byte order mark before it is left out, too.
   */
  public LineFormat<T> header(String header) {
    if (header.isEmpty() || header.indexOf('\n') >= 0 || header.indexOf('\r') >= 0) {
      throw new MillraceException(
          ErrorKind.USER, "The header of a file is one line that is not empty.");
    }
    return with(new Lines(header, lines.isQuoted(), lines.skipsEmpty(), lines.longest()));
  }

  /**
   * Line feeds between double quotes belong to the record, as in CSV. Files are not divided then,
   * because the middle of a file does not show whether it is between quotes.
   */
  public LineFormat<T> quotedLineBreaks() {
    return with(new Lines(lines.header(), true, lines.skipsEmpty(), lines.longest()));
  }

  /** Fails at a longer line, instead of reading it into memory; 64 MiB by default. */
  public LineFormat<T> longestLine(MemorySize size) {
    if (size.bytes() == 0 || size.bytes() > Integer.MAX_VALUE / 4) {
      throw new MillraceException(
          ErrorKind.USER, "Lines have 1 byte to 511 MiB, so " + size + " is no limit for them.");
    }
    return with(new Lines(lines.header(), lines.isQuoted(), lines.skipsEmpty(), size.bytes()));
  }

  private LineFormat<T> with(Lines changed) {
    return new LineFormat<>(parser, serializer, changed);
  }

  @Override
  public boolean isDivisible() {
    return !lines.isQuoted();
  }

  @Override
  public boolean compressesItself() {
    return false;
  }

  @Override
  public FileRecords<T> open(FileRange range) throws IOException {
    if (parser == null) {
      throw new MillraceException(
          ErrorKind.USER, "The format of the source only writes. Use LineFormat.of or reading.");
    }
    return LineRecords.open(range, lines, parser);
  }

  @Override
  public FileRecordWriter<T> start(OutputStream out) throws IOException {
    if (serializer == null) {
      throw new MillraceException(
          ErrorKind.USER, "The format of the sink only reads. Use LineFormat.of or writing.");
    }
    if (lines.header() != null) {
      out.write((lines.header() + "\n").getBytes(StandardCharsets.UTF_8));
    }
    return new LineWriter<>(out, lines, serializer);
  }
}
