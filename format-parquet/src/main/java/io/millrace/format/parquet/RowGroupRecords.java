package io.millrace.format.parquet;

import io.millrace.connector.files.FilePosition;
import io.millrace.connector.files.FileRange;
import io.millrace.connector.files.FileRecords;
import io.millrace.format.avro.AvroType;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.avro.AvroReadSupport;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.api.ReadSupport;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.FileMetaData;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.MessageColumnIO;
import org.apache.parquet.io.RecordReader;
import org.apache.parquet.io.api.RecordMaterializer;
import org.apache.parquet.schema.MessageType;

/**
 * The rows of the row groups that start in a range. A position is the start of a row group and the
 * number of its rows that were read.
 */
final class RowGroupRecords<T> implements FileRecords<T> {
  /** Where Parquet looks for the schema of the records. */
  private static final String READ_SCHEMA = "avro.read.schema";

  private final ParquetFileReader file;
  private final AvroType<T> type;
  private final List<BlockMetaData> groups;
  private final long to;
  private final MessageColumnIO columns;
  private final RecordMaterializer<Object> materializer;

  /** The next row group to read. */
  private int group;

  /** The rows of the current row group; null before the first one. */
  private RecordReader<Object> rows;

  private long groupStart;
  private long groupRows;
  private long read;
  private Object datum;

  private RowGroupRecords(ParquetFileReader file, FileRange range, AvroType<T> type) {
    this.file = file;
    this.type = type;
    this.to = range.to();
    this.groups = file.getRowGroups();
    FileMetaData metadata = file.getFooter().getFileMetaData();
    // The columns as the file has them: lists have two or three levels, whatever wrote them.
    MessageType requested =
        new MessageType(
            metadata.getSchema().getName(),
            metadata.getSchema().getFields().stream()
                .filter(column -> type.schema().getField(column.getName()) != null)
                .toList());
    this.materializer =
        new AvroReadSupport<Object>(type.model())
            .prepareForRead(
                new PlainParquetConfiguration(),
                metadata.getKeyValueMetaData(),
                metadata.getSchema(),
                new ReadSupport.ReadContext(
                    requested, Map.of(READ_SCHEMA, type.schema().toString())));
    file.setRequestedSchema(requested);
    this.columns =
        new ColumnIOFactory(metadata.getCreatedBy())
            .getColumnIO(requested, metadata.getSchema(), true);
  }

  static <T> FileRecords<T> open(FileRange range, AvroType<T> type) throws IOException {
    ParquetReadOptions options =
        ParquetReadOptions.builder(new PlainParquetConfiguration())
            .withCodecFactory(new PageCodecs())
            .build();
    ParquetFileReader file = null;
    try {
      file = ParquetFileReader.open(new ParquetFileInput(range), options);
      checkSizes(file.getRowGroups(), range.length());
      RowGroupRecords<T> records = new RowGroupRecords<>(file, range, type);
      records.start(range);
      return records;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      if (file != null) {
        file.close();
      }
      throw broken("It is cut short, no file of Parquet, or has other columns", e);
    }
  }

  /** Checks what the footer says: Parquet reads the columns of a row group at once. */
  private static void checkSizes(List<BlockMetaData> groups, long length) throws IOException {
    for (BlockMetaData group : groups) {
      if (group.getRowCount() < 0) {
        throw new IOException("A row group has " + group.getRowCount() + " rows by its footer");
      }
      for (ColumnChunkMetaData column : group.getColumns()) {
        long start = column.getStartingPos();
        long size = column.getTotalSize();
        if (start < 0 || size < 0 || start > length - size) {
          throw new IOException(
              "Column "
                  + column.getPath().toDotString()
                  + " has "
                  + size
                  + " bytes at byte "
                  + start
                  + " by its footer, and the file has "
                  + length);
        }
      }
    }
  }

  private static IOException broken(String what, Throwable e) {
    return new IOException(what + ": " + e.getMessage() + ".", e);
  }

  private void start(FileRange range) throws IOException {
    long from = range.position().map(FilePosition::offset).orElse(range.from());
    while (group < groups.size() && groups.get(group).getStartingPos() < from) {
      group++;
    }
    groupStart = Math.max(from, 0);
    long skipped = range.position().map(FilePosition::records).orElse(0L);
    if (range.position().isPresent() && skipped > 0) {
      if (group == groups.size() || groups.get(group).getStartingPos() != from) {
        throw new IOException("It has no row group at byte " + from + "; it was replaced");
      }
      openGroup();
      while (read < skipped) {
        if (!advance()) {
          throw new IOException("It has fewer rows than were read before; it was replaced");
        }
      }
    }
  }

  private void openGroup() throws IOException {
    PageReadStore pages = file.readRowGroup(group);
    groupStart = groups.get(group).getStartingPos();
    groupRows = pages.getRowCount();
    read = 0;
    rows = columns.getRecordReader(pages, materializer);
    group++;
  }

  @Override
  public boolean advance() throws IOException {
    try {
      while (rows == null || read == groupRows) {
        if (group == groups.size() || groups.get(group).getStartingPos() >= to) {
          return false;
        }
        openGroup();
      }
      datum = rows.read();
      read++;
      return true;
    } catch (RuntimeException | OutOfMemoryError e) {
      // A damaged number asks for an array that the heap has no room for; it was not allocated.
      throw broken("The row group at byte " + groupStart + " is damaged", e);
    }
  }

  @Override
  public T record() {
    return type.fromAvro(datum);
  }

  @Override
  public FilePosition position() {
    return new FilePosition(groupStart, read);
  }

  @Override
  public String place() {
    return "row " + Math.max(0, read - 1) + " of the row group at byte " + groupStart;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
