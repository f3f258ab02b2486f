package io.millrace.api.sink;

import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import java.io.IOException;
import java.util.List;

/** A {@link TextFileSink} that marks its directory when all output is in it. */
final class MarkedTextFileSink<T>
    implements StatefulSink<T, PartNumber>,
        CommittingSink<T, FileCommit>,
        GlobalCommittingSink<T, FileCommit> {
  private static final long serialVersionUID = 1L;

  /** The name that readers of directories leave out. */
  static final String MARKER = "_SUCCESS";

  private final TextFileSink<T> parts;

  MarkedTextFileSink(TextFileSink<T> parts) {
    this.parts = parts;
  }

  @Override
  public TextFileWriter<T> createWriter(SinkContext context) throws IOException {
    return parts.createWriter(context);
  }

  @Override
  public TextFileWriter<T> restoreWriter(SinkContext context, List<PartNumber> state)
      throws IOException {
    return parts.restoreWriter(context, state);
  }

  @Override
  public Redistribution redistribution() {
    return parts.redistribution();
  }

  @Override
  public Committer<FileCommit> createCommitter(SinkContext context) {
    return parts.createCommitter(context);
  }

  @Override
  public GlobalCommitter<FileCommit> createGlobalCommitter(SinkContext context) throws IOException {
    FilePath directory = parts.directory();
    FileSystem files = context.files().of(directory);
    FilePath marker = directory.child(MARKER);
    // The marker of an earlier job, or of an attempt whose output is written again.
    files.delete(marker);
    return new GlobalCommitter<>() {
      @Override
      public void commit(List<FileCommit> committed) {
        // The committers of the subtasks have given the parts their names.
      }

      @Override
      public void endOfInput() throws IOException {
        files.createDirectories(directory);
        files.delete(marker);
        files.create(marker).close();
      }
    };
  }
}
