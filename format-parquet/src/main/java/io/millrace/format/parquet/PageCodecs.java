package io.millrace.format.parquet;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.xerial.snappy.Snappy;

/** Compresses and decompresses pages. Parquet's own class for it needs a running Hadoop. */
final class PageCodecs implements CompressionCodecFactory {
  static final List<CompressionCodecName> KNOWN =
      List.of(
          CompressionCodecName.UNCOMPRESSED,
          CompressionCodecName.SNAPPY,
          CompressionCodecName.GZIP,
          CompressionCodecName.ZSTD);

  /** Two bytes of Snappy stand for at most 64. */
  private static final long MOST_SNAPPY_SHRINKS = 64;

  private static byte[] compress(CompressionCodecName codec, byte[] content) throws IOException {
    return switch (codec) {
      case UNCOMPRESSED -> content;
      case SNAPPY -> Snappy.compress(content);
      case GZIP -> {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
          gzip.write(content);
        }
        yield out.toByteArray();
      }
      case ZSTD -> Zstd.compress(content);
      default -> throw unknown(codec);
    };
  }

  private static byte[] decompress(CompressionCodecName codec, byte[] content, int size)
      throws IOException {
    byte[] result =
        switch (codec) {
          case UNCOMPRESSED -> content;
          case SNAPPY -> {
            if (Snappy.uncompressedLength(content) != size
                || size > content.length * MOST_SNAPPY_SHRINKS) {
              throw new IOException("A page has another size than its header says.");
            }
            yield Snappy.uncompress(content);
          }
          case GZIP -> {
            try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(content))) {
              yield gzip.readNBytes(size);
            }
          }
          case ZSTD -> {
            // Grows with what is there, whatever size the header of the page names.
            try (ZstdInputStream zstd = new ZstdInputStream(new ByteArrayInputStream(content))) {
              yield zstd.readNBytes(size);
            }
          }
          default -> throw unknown(codec);
        };
    if (result.length < size) {
      throw new EOFException("A page is shorter than its header says.");
    }
    return result;
  }

  private static IOException unknown(CompressionCodecName codec) {
    return new IOException(
        "Pages are compressed with " + codec + ", but only " + KNOWN + " are supported.");
  }

  @Override
  public BytesInputCompressor getCompressor(CompressionCodecName codec) {
    return new BytesInputCompressor() {
      @Override
      public BytesInput compress(BytesInput bytes) throws IOException {
        return BytesInput.from(PageCodecs.compress(codec, bytes.toInputStream().readAllBytes()));
      }

      @Override
      public CompressionCodecName getCodecName() {
        return codec;
      }

      @Override
      public void release() {}
    };
  }

  @Override
  public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
    return new BytesInputDecompressor() {
      @Override
      public BytesInput decompress(BytesInput bytes, int size) throws IOException {
        return BytesInput.from(
            PageCodecs.decompress(codec, bytes.toInputStream().readAllBytes(), size));
      }

      @Override
      public void decompress(ByteBuffer in, int inSize, ByteBuffer out, int outSize)
          throws IOException {
        byte[] content = new byte[inSize];
        in.get(content);
        out.put(PageCodecs.decompress(codec, content, outSize), 0, outSize);
      }

      @Override
      public void release() {}
    };
  }

  @Override
  public void release() {}
}
