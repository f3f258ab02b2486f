package io.millrace.connector.files;

import io.millrace.api.format.SerializationSchema;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.OutputStream;

/** Writes records as lines, and refuses those that a reader would not find again. */
final class LineWriter<T> implements FileRecordWriter<T> {
  private final OutputStream out;
  private final LineFormat.Lines lines;
  private final SerializationSchema<T> serializer;

  LineWriter(OutputStream out, LineFormat.Lines lines, SerializationSchema<T> serializer) {
    this.out = out;
    this.lines = lines;
    this.serializer = serializer;
  }

  @Override
  public void write(T record) throws Exception {
    byte[] line = serializer.serialize(record);
    check(line);
    out.write(line);
    out.write('\n');
  }

  private void check(byte[] line) {
    if (line.length == 0 && lines.skipsEmpty()) {
      throw refused("is an empty line, which readers leave out");
    }
    if (line.length > 0 && line[line.length - 1] == '\r') {
      throw refused("ends with a carriage return, which readers take for a part of the line's end");
    }
    boolean quoted = false;
    for (byte each : line) {
      if (each == '"') {
        quoted = !quoted;
      } else if (each == '\n' && !(lines.isQuoted() && quoted)) {
        throw refused(
            "has a line feed, so that readers would find two lines. Use a format that escapes it,"
                + " or for CSV LineFormat.quotedLineBreaks()");
      }
    }
    if (lines.isQuoted() && quoted) {
      throw refused("has a quote without end, so that the next line would belong to it");
    }
  }

  private static MillraceException refused(String why) {
    return new MillraceException(ErrorKind.USER, "A record of the file sink " + why + ".");
  }

  @Override
  public void finish() throws IOException {
    out.flush();
  }
}
