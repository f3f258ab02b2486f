package io.millrace.api.sink;

import io.millrace.core.fs.FilePath;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Writes lines to hidden files, which are renamed to parts when they are committed. */
final class TextFileWriter<T>
    implements StatefulSinkWriter<T, PartNumber>, CommittingSinkWriter<T, FileCommit> {
  private static final int BUFFER = 64 * 1024;

  private final PartDirectory directory;
  private final long rollBytes;
  private final long rollMillis;
  private long next;

  /** The parts to remove with the first commit. */
  private List<String> replaced;

  /** Complete files that the next commit renames. */
  private final List<FileCommit.Rename> complete = new ArrayList<>();

  /** The part that is written now; null if none. */
  private OutputStream out;

  private FilePath inProgress;
  private long size;
  private long opened;

  /**
   * @param rollBytes the size at which a part is closed, 0 for no limit
   * @param rollMillis the age at which a part is closed, 0 for no limit
   */
  TextFileWriter(
      PartDirectory directory, PartDirectory.Start start, long rollBytes, long rollMillis) {
    this.directory = directory;
    this.rollBytes = rollBytes;
    this.rollMillis = rollMillis;
    this.next = start.next();
    this.replaced = start.replaced();
  }

  @Override
  public void write(T record) throws IOException {
    if (out != null
        && rollMillis > 0
        && directory.context().currentProcessingTime() - opened >= rollMillis) {
      closePart();
    }
    if (out == null) {
      openPart();
    }
    byte[] line = String.valueOf(record).getBytes(StandardCharsets.UTF_8);
    out.write(line);
    out.write('\n');
    size += line.length + 1;
    if (rollBytes > 0 && size >= rollBytes) {
      closePart();
    }
  }

  private void openPart() throws IOException {
    inProgress = directory.inProgress(next);
    out = new BufferedOutputStream(directory.files().create(inProgress), BUFFER);
    size = 0;
    opened = directory.context().currentProcessingTime();
  }

  private void closePart() throws IOException {
    out.close();
    out = null;
    complete.add(new FileCommit.Rename(inProgress.toString(), directory.part(next).toString()));
    next++;
  }

  @Override
  public void flush(boolean endOfInput) throws IOException {
    if (out != null) {
      closePart();
    }
  }

  @Override
  public List<FileCommit> prepareCommit() {
    List<FileCommit> prepared = new ArrayList<>(complete);
    if (!replaced.isEmpty()) {
      // Last: the directory is never without output.
      prepared.add(new FileCommit.Remove(replaced));
      replaced = List.of();
    }
    complete.clear();
    return prepared;
  }

  @Override
  public List<PartNumber> snapshot(long checkpoint) {
    return List.of(new PartNumber(directory.context().subtask(), next));
  }

  @Override
  public void close() throws IOException {
    try {
      if (out != null) {
        out.close();
      }
    } finally {
      if (out != null) {
        directory.files().delete(inProgress);
      }
      for (FileCommit.Rename unprepared : complete) {
        directory.files().delete(FilePath.parse(unprepared.from()));
      }
    }
  }
}
