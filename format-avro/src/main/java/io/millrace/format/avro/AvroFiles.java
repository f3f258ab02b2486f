package io.millrace.format.avro;

import io.millrace.connector.files.FileRange;
import io.millrace.connector.files.FileReadFormat;
import io.millrace.connector.files.FileRecordWriter;
import io.millrace.connector.files.FileRecords;
import io.millrace.connector.files.FileWriteFormat;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericRecord;

/**
 * Container files of Avro. Each has its schema, which may be another one than that of the records:
 * fields that the file does not have get their defaults. Files are divided at the markers between
 * blocks.
 *
 * <pre>{@code
 * FileSource<Order> stored = FileSource.of(AvroFiles.of(Order.class), "/data/orders");
 * env.fromSource(stored, "orders")
 *     .sinkTo(FileSink.to("/data/copy", AvroFiles.of(Order.class).codec("zstandard")));
 * }</pre>
 *
 * @param <T> the records
 */
public final class AvroFiles<T> implements FileReadFormat<T>, FileWriteFormat<T> {
  private static final long serialVersionUID = 1L;

  private final AvroType<T> type;
  private final String codec;

  private AvroFiles(AvroType<T> type, String codec) {
    this.type = Objects.requireNonNull(type, "type");
    this.codec = codec;
  }

  public static <T> AvroFiles<T> of(AvroType<T> type) {
    return new AvroFiles<>(type, "deflate");
  }

  /** A generated class, a record or another class; see {@link AvroType#of(Class)}. */
  public static <T> AvroFiles<T> of(Class<T> type) {
    return of(AvroType.of(type));
  }

  public static AvroFiles<GenericRecord> generic(Schema schema) {
    return of(AvroType.generic(schema));
  }

  /**
   * How a sink compresses blocks: {@code null} for not at all, {@code deflate} (the default),
   * {@code snappy}, {@code zstandard}, {@code bzip2} or {@code xz}.
   */
  public AvroFiles<T> codec(String name) {
    try {
      CodecFactory.fromString(name);
    } catch (AvroRuntimeException | LinkageError e) {
      throw new MillraceException(
          ErrorKind.USER, "Avro has no codec '" + name + "', or its library is missing.", e);
    }
    return new AvroFiles<>(type, name);
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
    return AvroFileRecords.open(range, type);
  }

  @Override
  public FileRecordWriter<T> start(OutputStream out) throws IOException {
    DataFileWriter<Object> writer =
        new DataFileWriter<>(type.writer()).setCodec(CodecFactory.fromString(codec));
    writer.create(type.schema(), out);
    return new FileRecordWriter<>() {
      @Override
      public void write(T record) throws IOException {
        writer.append(type.toAvro(record));
      }

      @Override
      public void finish() throws IOException {
        writer.flush();
      }
    };
  }
}
