package io.millrace.connector.files;

import io.millrace.api.sink.Committer;
import io.millrace.api.sink.CommittingSink;
import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.StatefulSink;
import io.millrace.core.MemorySize;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Writes records to files of a directory, each exactly once.
 *
 * <pre>{@code
 * JsonFormat<Order> json = JsonFormat.of(Order.class);
 * orders.sinkTo(
 *     FileSink.to("hdfs://host/orders", LineFormat.of(json))
 *         .bucketBy(BucketAssigner.byTime(Order::time, "yyyy-MM-dd/HH", ZoneOffset.UTC))
 *         .partNames("orders", ".json")
 *         .compression(Compression.GZIP));
 * }</pre>
 *
 * <p>The parts of task <i>i</i> are {@code part-i-0-TOKEN}, {@code part-i-1-TOKEN} and so on, in
 * the directory or in buckets below it. A part appears under its name when it is complete and
 * committed, and never before; until then it is in the hidden directory {@code .pending}. A task
 * without records writes no part.
 *
 * <p>All parts are closed at each checkpoint and at the end of input; one is closed before when it
 * reaches the size of {@link #rollAt} or the age of {@link #rollEvery}. Parts are committed when
 * their checkpoint is complete. Without periodic checkpoints they are committed when the task has
 * all its input, and a restarted job replaces them.
 *
 * <p>A directory that already holds parts of an earlier job with the same names is refused; {@link
 * #overwrite()} replaces them with the first commit. A job that goes on from a checkpoint or
 * savepoint adds to its own parts.
 *
 * @param <T> the records
 */
public final class FileSink<T>
    implements StatefulSink<T, WriterNumber>, CommittingSink<T, PartCommit> {
  private static final long serialVersionUID = 1L;
  private static final long CHECKPOINTED_SIZE = MemorySize.ofMebi(128).bytes();
  private static final int OPEN_PARTS = 100;

  private final FileSinkSettings<T> settings;

  private FileSink(FileSinkSettings<T> settings) {
    this.settings = settings;
  }

  /** Into this directory, which is created where it does not exist. */
  public static <T> FileSink<T> to(String directory, FileWriteFormat<T> format) {
    if (directory.isBlank()) {
      throw new MillraceException(
          ErrorKind.USER,
          "The directory of a file sink is empty. Name one; '.' is the working directory.");
    }
    // The working directory that counts is the one of the program, not that of a TaskManager.
    return new FileSink<>(
        new FileSinkSettings<>(
            FilePath.parse(directory).toString(),
            Objects.requireNonNull(format, "format"),
            (record, processingTime) -> "",
            new PartNames("part", ""),
            Compression.NONE,
            false,
            0,
            0,
            OPEN_PARTS));
  }

  /** Distributes records over directories below that of the sink. */
  public FileSink<T> bucketBy(BucketAssigner<T> buckets) {
    return new FileSink<>(settings.withBuckets(Objects.requireNonNull(buckets, "buckets")));
  }

  /**
   * Names parts {@code PREFIX-0-0-TOKENSUFFIX} instead of {@code part-0-0-TOKEN}. A compressed part
   * has the suffix of the compression behind this one.
   *
   * @param suffix with its dot; may be empty
   */
  public FileSink<T> partNames(String prefix, String suffix) {
    if (prefix.isEmpty()
        || prefix.startsWith(".")
        || prefix.startsWith("_")
        || prefix.indexOf('/') >= 0
        || suffix.indexOf('/') >= 0) {
      throw new MillraceException(
          ErrorKind.USER,
          "Names of parts cannot be '"
              + prefix
              + "…"
              + suffix
              + "': they start with a character other than . and _, and have no /.");
    }
    return new FileSink<>(settings.withNames(new PartNames(prefix, suffix)));
  }

  /** Compresses each part as a whole. Not for formats that compress their own content. */
  public FileSink<T> compression(Compression compression) {
    if (settings.format().compressesItself() && compression != Compression.NONE) {
      throw new MillraceException(
          ErrorKind.USER,
          "Files of this format compress their own content, and readers could not read a file that"
              + " is compressed with "
              + compression
              + " as a whole. Set the compression of the format instead.");
    }
    return new FileSink<>(settings.withCompression(compression));
  }

  /** Replaces the parts of an earlier job. */
  public FileSink<T> overwrite() {
    return new FileSink<>(settings.overwriting());
  }

  /**
   * Closes a part when it has about this size. The default is 128 MiB with periodic checkpoints.
   * Without them there is no limit: a task writes one part per bucket.
   */
  public FileSink<T> rollAt(MemorySize size) {
    if (size.bytes() == 0) {
      throw new MillraceException(
          ErrorKind.USER, "Parts of a file sink cannot be closed at 0 bytes. Name a larger size.");
    }
    return new FileSink<>(settings.rolling(size.bytes(), settings.rollMillis()));
  }

  /**
   * Closes a part that was opened this long ago, when the next record for it arrives. The default
   * is no limit.
   */
  public FileSink<T> rollEvery(Duration age) {
    if (age.toMillis() <= 0) {
      throw new MillraceException(
          ErrorKind.USER,
          "Parts of a file sink cannot be closed every "
              + age
              + ". Name at least one millisecond.");
    }
    return new FileSink<>(settings.rolling(settings.rollBytes(), age.toMillis()));
  }

  /**
   * How many parts a task has open at a time, 100 by default. A record for another bucket closes
   * the part that was not written to for the longest time.
   */
  public FileSink<T> maxOpenParts(int parts) {
    if (parts < 1) {
      throw new MillraceException(
          ErrorKind.USER, "A task of a file sink has 1 open part or more, not " + parts + ".");
    }
    return new FileSink<>(settings.withOpenParts(parts));
  }

  /**
   * The same sink, which creates an empty file {@code _SUCCESS} in the directory when the input has
   * ended and all parts are committed. While the file is not there, the output may be incomplete.
   */
  public Sink<T> withSuccessMarker() {
    return new MarkedFileSink<>(this);
  }

  FilePath directory() {
    return settings.path();
  }

  @Override
  public BucketWriter<T> createWriter(SinkContext context) throws IOException {
    return writer(context, List.of());
  }

  @Override
  public BucketWriter<T> restoreWriter(SinkContext context, List<WriterNumber> state)
      throws IOException {
    return writer(context, state);
  }

  @Override
  public Redistribution redistribution() {
    return Redistribution.UNION;
  }

  @Override
  public Committer<PartCommit> createCommitter(SinkContext context) {
    return new PartCommitter(context.files());
  }

  private BucketWriter<T> writer(SinkContext context, List<WriterNumber> state) throws IOException {
    BucketDirectory directory = new BucketDirectory(settings.path(), settings.fileNames(), context);
    BucketDirectory.Start start = directory.open(state, settings.overwrite());
    long rollBytes =
        settings.rollBytes() > 0 || !context.isCheckpointing()
            ? settings.rollBytes()
            : CHECKPOINTED_SIZE;
    return new BucketWriter<>(directory, start, settings.rolling(rollBytes, settings.rollMillis()));
  }
}
