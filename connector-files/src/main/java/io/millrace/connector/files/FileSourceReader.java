package io.millrace.connector.files;

import io.millrace.api.source.SourceOutput;
import io.millrace.api.source.SourceReader;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystems;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the records of splits one after the other. */
final class FileSourceReader<T> implements SourceReader<T, FileSplit> {
  private static final Logger LOG = LoggerFactory.getLogger(FileSourceReader.class);

  private final FileSystems files;
  private final FileReadFormat<T> format;
  private final BadFileRecords bad;
  private final ArrayDeque<FileSplit> splits = new ArrayDeque<>();

  /** The records of the first split; null before it is opened. */
  private FileRecords<T> records;

  private long skipped;

  FileSourceReader(FileSystems files, FileReadFormat<T> format, BadFileRecords bad) {
    this.files = files;
    this.format = format;
    this.bad = bad;
  }

  @Override
  public void addSplits(List<FileSplit> added) {
    splits.addAll(added);
  }

  @Override
  public List<FileSplit> snapshot(long checkpoint) {
    List<FileSplit> unread = new ArrayList<>(splits);
    if (records != null) {
      unread.set(0, unread.get(0).at(records.position()));
    }
    return unread;
  }

  @Override
  public Status poll(SourceOutput<T> out, int limit) throws IOException {
    for (int i = 0; i < limit; i++) {
      if (!advance()) {
        return Status.END;
      }
      T record;
      try {
        record = Objects.requireNonNull(records.record(), "The record is null");
      } catch (Exception e) {
        refused(e, out);
        continue;
      }
      out.emit(record);
    }
    return Status.MORE;
  }

  /** Moves to the next record, opening the next split where one is done; false after the last. */
  private boolean advance() throws IOException {
    while (!splits.isEmpty()) {
      FileSplit split = splits.element();
      try {
        if (records == null) {
          records = open(split);
        }
        if (records.advance()) {
          return true;
        }
      } catch (IOException e) {
        throw new MillraceException(
            ErrorKind.EXTERNAL,
            "File '"
                + split.file()
                + "' cannot be read"
                + (records == null ? "" : " behind " + records.place())
                + ": "
                + Failure.sentence(e)
                + " Bring the whole file back, or remove it and start the job without it. Records"
                + " up to there are not lost: a restart goes on at the last checkpoint.",
            e);
      }
      records.close();
      records = null;
      splits.remove();
    }
    return false;
  }

  private FileRecords<T> open(FileSplit split) throws IOException {
    FilePath file = FilePath.parse(split.file());
    Compression compression =
        format.compressesItself() ? Compression.NONE : Compression.ofName(file.name());
    return format.open(new FileRange(files.of(file), split, compression));
  }

  private void refused(Exception why, SourceOutput<T> out) {
    if (why instanceof MillraceException failure && failure.kind() == ErrorKind.EXTERNAL) {
      // The record may be good: a system that its format needs does not answer.
      throw failure;
    }
    String file = splits.element().file();
    String place = records.place();
    String error = Failure.sentence(why);
    if (bad.fails()) {
      throw new MillraceException(
          ErrorKind.USER,
          "The record at "
              + place
              + " of file '"
              + file
              + "' cannot be parsed: "
              + error
              + " Correct the file or the format of the source, or let the source skip such records"
              + " or emit them into a side output (badRecords).",
          why);
    }
    if (bad.tag().isPresent()) {
      out.output(bad.tag().get(), new UnparsedFileRecord(file, place, records.bytes(), error));
      return;
    }
    skipped++;
    // The first, the 2nd, 4th, 8th and so on: a file full of them does not fill the log.
    if ((skipped & skipped - 1) == 0) {
      // As text: a log appender must not call methods of a user exception.
      LOG.warn(
          "The record at {} of file '{}' cannot be parsed and is skipped, as {} records of this"
              + " subtask in all: {}",
          place,
          file,
          skipped,
          error);
    }
  }

  @Override
  public Optional<String> position() {
    return records == null
        ? Optional.empty()
        : Optional.of(records.place() + " of " + splits.element().file());
  }

  @Override
  public void close() throws IOException {
    if (skipped > 0) {
      LOG.warn("{} records of files could not be parsed and were skipped", skipped);
    }
    if (records != null) {
      records.close();
    }
  }
}
