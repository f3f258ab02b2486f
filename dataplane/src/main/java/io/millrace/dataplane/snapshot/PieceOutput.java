package io.millrace.dataplane.snapshot;

import io.millrace.core.Bytes;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.task.checkpoint.StateHandle;
import java.io.IOException;
import java.util.zip.CRC32C;

/**
 * The bytes of a piece on their way to storage: in memory as long as they are few enough to become
 * part of the metadata, else in a file. Belongs to one I/O thread.
 */
final class PieceOutput implements AutoCloseable {
  private final CheckpointFiles files;
  private final int inlineThreshold;
  private final CRC32C checksum = new CRC32C();
  private final ByteArrayOutput inline = new ByteArrayOutput();
  private CheckpointFiles.StateFile file;
  private long start;
  private long size;

  PieceOutput(CheckpointFiles files, int inlineThreshold) {
    this.files = files;
    this.inlineThreshold = inlineThreshold;
  }

  void write(byte[] bytes, int from, int length) throws IOException {
    size += length;
    checksum.update(bytes, from, length);
    if (file == null && size > inlineThreshold) {
      file = files.borrow();
      start = file.size();
      file.write(inline.array(), 0, inline.size());
    }
    if (file == null) {
      inline.putBytes(bytes, from, length);
    } else {
      file.write(bytes, from, length);
    }
  }

  /** The complete piece. The content of a file is safe only when the files are closed. */
  StateHandle finish() {
    if (file == null) {
      return new StateHandle.Inline(Bytes.copyOf(inline.array(), 0, inline.size()));
    }
    StateHandle handle =
        new StateHandle.FileSegment(
            StateHandle.Directory.EXCLUSIVE, file.name(), start, size, (int) checksum.getValue());
    files.giveBack(file);
    file = null;
    return handle;
  }

  /** Gives up a piece that is not finished; its file is not used any more. */
  @Override
  public void close() {
    if (file != null) {
      files.giveUp(file);
      file = null;
    }
  }
}
