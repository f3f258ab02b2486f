package io.millrace.format.parquet;

import io.millrace.connector.files.FileRange;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;

/** A file as Parquet reads it. File systems open files at an offset, so a seek opens it again. */
record ParquetFileInput(FileRange range) implements InputFile {
  @Override
  public long getLength() throws IOException {
    return range.length();
  }

  @Override
  public SeekableInputStream newStream() {
    return new Stream(range);
  }

  private static final class Stream extends SeekableInputStream {
    private final FileRange range;
    private InputStream in;
    private long position;

    Stream(FileRange range) {
      this.range = range;
    }

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public void seek(long to) throws IOException {
      if (to != position) {
        close();
        position = to;
      }
    }

    private InputStream in() throws IOException {
      if (in == null) {
        in = range.open(position);
      }
      return in;
    }

    @Override
    public int read() throws IOException {
      int read = in().read();
      if (read >= 0) {
        position++;
      }
      return read;
    }

    @Override
    public int read(byte[] to, int offset, int count) throws IOException {
      int read = in().read(to, offset, count);
      if (read > 0) {
        position += read;
      }
      return read;
    }

    @Override
    public void readFully(byte[] to) throws IOException {
      readFully(to, 0, to.length);
    }

    @Override
    public void readFully(byte[] to, int offset, int count) throws IOException {
      int read = in().readNBytes(to, offset, count);
      position += read;
      if (read < count) {
        throw new EOFException("The file ends at byte " + position + ", inside of a column.");
      }
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
      byte[] bytes = new byte[to.remaining()];
      int read = read(bytes, 0, bytes.length);
      if (read > 0) {
        to.put(bytes, 0, read);
      }
      return read;
    }

    @Override
    public void readFully(ByteBuffer to) throws IOException {
      byte[] bytes = new byte[to.remaining()];
      readFully(bytes);
      to.put(bytes);
    }

    @Override
    public void close() throws IOException {
      if (in != null) {
        in.close();
        in = null;
      }
    }
  }
}
