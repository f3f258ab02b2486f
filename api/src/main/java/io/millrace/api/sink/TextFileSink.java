package io.millrace.api.sink;

import io.millrace.core.MemorySize;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Writes each record as a line of a text file. Task <i>i</i> writes the parts {@code part-i-0},
 * {@code part-i-1} and so on of a directory. A part appears under its name when it is complete and
 * committed, and never before; until then it is a hidden file. A task without records writes no
 * part.
 *
 * <p>A part is closed at each checkpoint, at the end of input, when it reaches the size of {@link
 * #rollAt}, and when it is older than {@link #rollEvery}. Parts are committed when their checkpoint
 * is complete, so that each record is in exactly one part, whatever fails. Without periodic
 * checkpoints parts are committed when the task has all its input, and a restarted job replaces
 * them.
 *
 * <p>A directory that already holds parts of an earlier job is refused, so that no output is lost
 * or mixed by mistake; {@link #overwrite()} replaces them with the first commit. Numbers of parts
 * continue after those in the directory then. A job that goes on from a checkpoint or savepoint
 * adds to its own parts.
 *
 * <p>A directory with a scheme, as in {@code hdfs://host/directory}, is written through the file
 * system that offers the scheme.
 *
 * <pre>{@code
 * orders
 *     .map(order -> order.customer() + ";" + order.cents())
 *     .sinkTo(TextFileSink.to("/data/orders").rollEvery(Duration.ofMinutes(10)).overwrite());
 * }</pre>
 */
public final class TextFileSink<T>
    implements StatefulSink<T, PartNumber>, CommittingSink<T, FileCommit> {
  private static final long serialVersionUID = 1L;
  private static final long CHECKPOINTED_SIZE = MemorySize.ofMebi(128).bytes();

  private final String directory;
  private final boolean overwrite;

  /** 0 for the default. */
  private final long rollBytes;

  /** 0 for no limit. */
  private final long rollMillis;

  private TextFileSink(String directory, boolean overwrite, long rollBytes, long rollMillis) {
    this.directory = directory;
    this.overwrite = overwrite;
    this.rollBytes = rollBytes;
    this.rollMillis = rollMillis;
  }

  /** Into this directory, which is created where it does not exist. */
  public static <T> TextFileSink<T> to(String directory) {
    if (directory.isBlank()) {
      throw new MillraceException(
          ErrorKind.USER,
          "The directory of a text sink is empty. Name one; '.' is the working directory.");
    }
    // The working directory that counts is the one of the program, not that of a TaskManager.
    return new TextFileSink<>(FilePath.parse(directory).toString(), false, 0, 0);
  }

  /** Replaces the parts of an earlier job. */
  public TextFileSink<T> overwrite() {
    return new TextFileSink<>(directory, true, rollBytes, rollMillis);
  }

  /**
   * Closes a part when it has this size; the last record may exceed it. The default is 128 MiB with
   * periodic checkpoints. Without them there is no limit: a task writes one part.
   */
  public TextFileSink<T> rollAt(MemorySize size) {
    if (size.bytes() == 0) {
      throw new MillraceException(
          ErrorKind.USER, "Parts of a text sink cannot be closed at 0 bytes. Name a larger size.");
    }
    return new TextFileSink<>(directory, overwrite, size.bytes(), rollMillis);
  }

  /**
   * Closes a part that was opened this long ago, when the next record arrives. The default is no
   * limit.
   */
  public TextFileSink<T> rollEvery(Duration age) {
    if (age.toMillis() <= 0) {
      throw new MillraceException(
          ErrorKind.USER,
          "Parts of a text sink cannot be closed every "
              + age
              + ". Name at least one millisecond.");
    }
    return new TextFileSink<>(directory, overwrite, rollBytes, age.toMillis());
  }

  /**
   * The same sink, which creates an empty file {@code _SUCCESS} in the directory when the input has
   * ended and all parts are committed. While the file is not there, the output may be incomplete.
   */
  public Sink<T> withSuccessMarker() {
    return new MarkedTextFileSink<>(this);
  }

  FilePath directory() {
    return FilePath.parse(directory);
  }

  @Override
  public TextFileWriter<T> createWriter(SinkContext context) throws IOException {
    return writer(context, List.of());
  }

  @Override
  public TextFileWriter<T> restoreWriter(SinkContext context, List<PartNumber> state)
      throws IOException {
    return writer(context, state);
  }

  @Override
  public Redistribution redistribution() {
    return Redistribution.UNION;
  }

  @Override
  public Committer<FileCommit> createCommitter(SinkContext context) {
    return new FileCommitter(context.files());
  }

  private TextFileWriter<T> writer(SinkContext context, List<PartNumber> state) throws IOException {
    PartDirectory parts = new PartDirectory(FilePath.parse(directory), context);
    PartDirectory.Start start = parts.open(state, overwrite);
    return new TextFileWriter<>(
        parts,
        start,
        rollBytes > 0 || !context.isCheckpointing() ? rollBytes : CHECKPOINTED_SIZE,
        rollMillis);
  }
}
