package io.millrace.connector.files;

import com.github.luben.zstd.RecyclingBufferPool;
import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;

/**
 * How a file is compressed as a whole. A source knows it by the suffix of the name; a sink adds the
 * suffix.
 *
 * <pre>{@code
 * FileSink<String> sink =
 *     FileSink.to("/data/notes", LineFormat.text()).compression(Compression.ZSTD);
 * orders.map(Order::customer).sinkTo(sink);
 * }</pre>
 */
public enum Compression {
  NONE(""),
  GZIP(".gz"),
  BZIP2(".bz2"),
  /** Zstandard. */
  ZSTD(".zst"),
  /** Snappy in the blocks of Hadoop, as its tools and Spark write it. */
  SNAPPY(".snappy");

  private static final int BUFFER = 64 * 1024;

  private final String suffix;

  /** Classes of their own: this class must load without the libraries. */
  private static final class Bzip2 {
    static InputStream decompress(InputStream in) throws IOException {
      return new BZip2CompressorInputStream(in, true);
    }

    static OutputStream compress(OutputStream out) throws IOException {
      return new BZip2CompressorOutputStream(out);
    }
  }

  private static final class Zstandard {
    static InputStream decompress(InputStream in) throws IOException {
      return new ZstdInputStream(in, RecyclingBufferPool.INSTANCE);
    }

    static OutputStream compress(OutputStream out) throws IOException {
      return new ZstdOutputStream(out, RecyclingBufferPool.INSTANCE);
    }
  }

  Compression(String suffix) {
    this.suffix = suffix;
  }

  /** The end of the names of such files, with the dot. */
  public String suffix() {
    return suffix;
  }

  static Compression ofName(String name) {
    for (Compression each : values()) {
      if (each != NONE && name.endsWith(each.suffix)) {
        return each;
      }
    }
    return NONE;
  }

  InputStream decompress(InputStream in) throws IOException {
    try {
      return switch (this) {
        case NONE -> in;
        case GZIP -> new GZIPInputStream(in, BUFFER);
        case BZIP2 -> Bzip2.decompress(in);
        case ZSTD -> Zstandard.decompress(in);
        case SNAPPY -> new SnappyBlockInputStream(in);
      };
    } catch (NoClassDefFoundError e) {
      throw missingLibrary(e);
    }
  }

  OutputStream compress(OutputStream out) throws IOException {
    try {
      return switch (this) {
        case NONE -> out;
        case GZIP -> new GZIPOutputStream(out, BUFFER);
        case BZIP2 -> Bzip2.compress(out);
        case ZSTD -> Zstandard.compress(out);
        case SNAPPY -> new SnappyBlockOutputStream(out);
      };
    } catch (NoClassDefFoundError e) {
      throw missingLibrary(e);
    }
  }

  private MillraceException missingLibrary(NoClassDefFoundError e) {
    String library =
        switch (this) {
          case BZIP2 -> "org.apache.commons:commons-compress";
          case ZSTD -> "com.github.luben:zstd-jni";
          case SNAPPY -> "org.xerial.snappy:snappy-java";
          default -> throw e;
        };
    return new MillraceException(
        ErrorKind.USER,
        "Files with the suffix "
            + suffix
            + " need the library "
            + library
            + ". Add it to the"
            + " program.",
        e);
  }
}
