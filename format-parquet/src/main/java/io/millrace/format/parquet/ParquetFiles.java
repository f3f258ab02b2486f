package io.millrace.format.parquet;

import io.millrace.connector.files.FileRange;
import io.millrace.connector.files.FileReadFormat;
import io.millrace.connector.files.FileRecordWriter;
import io.millrace.connector.files.FileRecords;
import io.millrace.connector.files.FileWriteFormat;
import io.millrace.core.MemorySize;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.format.avro.AvroType;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.parquet.avro.AvroSchemaConverter;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;

/**
 * Files of Parquet. A source reads the columns that its records have; columns that a file does not
 * have are null or their default. Files are divided at row groups.
 *
 * <pre>{@code
 * FileSource<Order> stored = FileSource.of(ParquetFiles.of(Order.class), "s3a://bucket/orders");
 * env.fromSource(stored, "orders")
 *     .sinkTo(FileSink.to("/data/orders", ParquetFiles.of(Order.class).codec("zstd")));
 * }</pre>
 *
 * @param <T> the records
 */
public final class ParquetFiles<T> implements FileReadFormat<T>, FileWriteFormat<T> {
  private static final long serialVersionUID = 1L;
  private static final long ROW_GROUP = MemorySize.ofMebi(64).bytes();

  private final AvroType<T> type;
  private final CompressionCodecName codec;
  private final long rowGroupBytes;

  private ParquetFiles(AvroType<T> type, CompressionCodecName codec, long rowGroupBytes) {
    this.type = Objects.requireNonNull(type, "type");
    try {
      new AvroSchemaConverter(new PlainParquetConfiguration()).convert(type.schema());
    } catch (RuntimeException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Parquet has no columns for " + type.schema().getFullName() + ": " + Failure.sentence(e),
          e);
    }
    this.codec = codec;
    this.rowGroupBytes = rowGroupBytes;
  }

  public static <T> ParquetFiles<T> of(AvroType<T> type) {
    return new ParquetFiles<>(type, CompressionCodecName.SNAPPY, ROW_GROUP);
  }

  /** A record, a class with fields, or one that Avro generated; see {@link AvroType#of(Class)}. */
  public static <T> ParquetFiles<T> of(Class<T> type) {
    return of(AvroType.of(type));
  }

  public static ParquetFiles<GenericRecord> generic(Schema schema) {
    return of(AvroType.generic(schema));
  }

  /**
   * How a sink compresses pages: {@code uncompressed}, {@code snappy} (the default), {@code gzip}
   * or {@code zstd}.
   */
  public ParquetFiles<T> codec(String name) {
    for (CompressionCodecName each : PageCodecs.KNOWN) {
      if (each.name().equals(name.toUpperCase(Locale.ROOT))) {
        return new ParquetFiles<>(type, each, rowGroupBytes);
      }
    }
    throw new MillraceException(
        ErrorKind.USER,
        "Files of Parquet are not compressed with '"
            + name
            + "' here. Choose one of "
            + PageCodecs.KNOWN
            + ".");
  }

  /**
   * The size of the row groups that a sink writes, 64 MiB by default. A task holds a row group of
   * each open part in memory.
   */
  public ParquetFiles<T> rowGroupSize(MemorySize size) {
    if (size.bytes() == 0) {
      throw new MillraceException(
          ErrorKind.USER, "Row groups have at least one byte. Name a larger size.");
    }
    return new ParquetFiles<>(type, codec, size.bytes());
  }

  @Override
  public boolean isDivisible() {
    return true;
  }

  @Override
  public boolean compressesItself() {
    return true;
  }

  @Override
  public FileRecords<T> open(FileRange range) throws IOException {
    return RowGroupRecords.open(range, type);
  }

  @Override
  public FileRecordWriter<T> start(OutputStream out) throws IOException {
    return new RowGroupWriter<>(out, type, codec, rowGroupBytes);
  }
}
