package io.millrace.format.parquet;

import io.millrace.connector.files.FileRecordWriter;
import io.millrace.format.avro.AvroType;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.parquet.avro.AvroParquetWriter;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;

/** Writes one file of Parquet. */
final class RowGroupWriter<T> implements FileRecordWriter<T> {
  private final AvroType<T> type;
  private final Output out;
  private final ParquetWriter<Object> writer;

  RowGroupWriter(OutputStream out, AvroType<T> type, CompressionCodecName codec, long rowGroupBytes)
      throws IOException {
    this.type = type;
    this.out = new Output(out);
    Output output = this.out;
    this.writer =
        AvroParquetWriter.<Object>builder(
                new OutputFile() {
                  @Override
                  public PositionOutputStream create(long blockSize) {
                    return output;
                  }

                  @Override
                  public PositionOutputStream createOrOverwrite(long blockSize) {
                    return output;
                  }

                  @Override
                  public boolean supportsBlockSize() {
                    return false;
                  }

                  @Override
                  public long defaultBlockSize() {
                    return 0;
                  }
                })
            .withSchema(type.schema())
            .withDataModel(type.model())
            .withConf(new PlainParquetConfiguration())
            // Three levels, as the specification wants lists; elements may be null then, too.
            .config("parquet.avro.write-old-list-structure", "false")
            .withCodecFactory(new PageCodecs())
            .withCompressionCodec(codec)
            .withRowGroupSize(rowGroupBytes)
            .build();
  }

  @Override
  public void write(T record) throws IOException {
    writer.write(type.toAvro(record));
  }

  @Override
  public long bufferedBytes() {
    // Counts what is in the file, too.
    return Math.max(0, writer.getDataSize() - out.position);
  }

  @Override
  public void finish() throws IOException {
    writer.close();
  }

  /** The sink closes the stream below. */
  private static final class Output extends PositionOutputStream {
    private final OutputStream out;
    private long position;

    Output(OutputStream out) {
      this.out = out;
    }

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public void write(int b) throws IOException {
      out.write(b);
      position++;
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      out.write(from, offset, length);
      position += length;
    }

    @Override
    public void flush() throws IOException {
      out.flush();
    }

    @Override
    public void close() throws IOException {
      out.flush();
    }
  }
}
