package io.millrace.connector.files;

import io.millrace.api.sink.Committer;
import io.millrace.api.sink.CommittingSink;
import io.millrace.api.sink.GlobalCommitter;
import io.millrace.api.sink.GlobalCommittingSink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.StatefulSink;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import java.io.IOException;
import java.util.List;

/** A {@link FileSink} that marks its directory when all output is in it. */
final class MarkedFileSink<T>
    implements StatefulSink<T, WriterNumber>,
        CommittingSink<T, PartCommit>,
        GlobalCommittingSink<T, PartCommit> {
  private static final long serialVersionUID = 1L;

  /** The name that readers of directories leave out. */
  private static final String MARKER = "_SUCCESS";

  private final FileSink<T> parts;

  MarkedFileSink(FileSink<T> parts) {
    this.parts = parts;
  }

  @Override
  public BucketWriter<T> createWriter(SinkContext context) throws IOException {
    return parts.createWriter(context);
  }

  @Override
  public BucketWriter<T> restoreWriter(SinkContext context, List<WriterNumber> state)
      throws IOException {
    return parts.restoreWriter(context, state);
  }

  @Override
  public Redistribution redistribution() {
    return parts.redistribution();
  }

  @Override
  public Committer<PartCommit> createCommitter(SinkContext context) {
    return parts.createCommitter(context);
  }

  @Override
  public GlobalCommitter<PartCommit> createGlobalCommitter(SinkContext context) throws IOException {
    FilePath directory = parts.directory();
    FileSystem files = context.files().of(directory);
    FilePath marker = directory.child(MARKER);
    // The marker of an earlier job, or of an attempt whose output is written again.
    files.delete(marker);
    return new GlobalCommitter<>() {
      @Override
      public void commit(List<PartCommit> committed) {
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
