package io.millrace.format.avro;

import io.millrace.connector.files.FilePosition;
import io.millrace.connector.files.FileRange;
import io.millrace.connector.files.FileRecords;
import java.io.EOFException;
import java.io.IOException;
import org.apache.avro.file.DataFileReader;

/**
 * The records of the blocks in a range. A position is the start of a block and the number of
 * records of the block that were read.
 */
final class AvroFileRecords<T> implements FileRecords<T> {
  /** Avro adds to the end of a range. */
  private static final long LATEST_END = Long.MAX_VALUE / 2;

  private final AvroFileInput input;
  private final DataFileReader<Object> reader;
  private final AvroType<T> type;
  private final long to;
  private Object datum;
  private long block;
  private long records;

  /** The place of the current record. */
  private long recordBlock;

  private long recordNumber;

  /** The last block whose size was checked; -1 for none. */
  private long checked = -1;

  private AvroFileRecords(AvroFileInput input, FileRange range, AvroType<T> type)
      throws IOException {
    this.input = input;
    this.type = type;
    this.to = Math.min(LATEST_END, range.to());
    this.reader = new DataFileReader<>(input, type.reader(null));
  }

  static <T> FileRecords<T> open(FileRange range, AvroType<T> type) throws IOException {
    AvroFileInput input = new AvroFileInput(range);
    try {
      AvroFileRecords<T> opened = new AvroFileRecords<>(input, range, type);
      FilePosition position = range.position().orElse(null);
      if (position != null) {
        opened.reader.seek(position.offset());
        opened.block = position.offset();
        for (long i = 0; i < position.records(); i++) {
          if (!opened.advance()) {
            throw opened.cut();
          }
        }
      } else if (range.from() > 0) {
        opened.reader.sync(range.from());
      }
      opened.block = opened.reader.previousSync();
      opened.records = position == null ? 0 : position.records();
      return opened;
    } catch (IOException e) {
      input.close();
      throw e;
    } catch (RuntimeException | OutOfMemoryError e) {
      input.close();
      throw new IOException("It is no container file of Avro, or damaged: " + e.getMessage(), e);
    }
  }

  @Override
  public boolean advance() throws IOException {
    try {
      recordBlock = reader.previousSync();
      recordNumber = recordBlock == block ? records : 0;
      if (reader.pastSync(to)) {
        return false;
      }
      if (recordBlock != checked) {
        input.checkBlock(recordBlock);
        checked = recordBlock;
      }
      if (!reader.hasNext()) {
        // Avro takes a file that ends inside a block for complete.
        throw cut();
      }
      datum = reader.next();
    } catch (RuntimeException | OutOfMemoryError e) {
      // A damaged length asks for an array that the heap has no room for; it was not allocated.
      throw new IOException("The block at byte " + recordBlock + " is damaged: " + e, e);
    }
    long next = reader.previousSync();
    records = next == recordBlock ? recordNumber + 1 : 0;
    block = next;
    return true;
  }

  private EOFException cut() {
    return new EOFException(
        "The file ends inside the block at byte " + reader.previousSync() + ": it is cut short.");
  }

  @Override
  public T record() {
    return type.fromAvro(datum);
  }

  @Override
  public FilePosition position() {
    return new FilePosition(block, records);
  }

  @Override
  public String place() {
    return "record " + recordNumber + " of the block at byte " + recordBlock;
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
