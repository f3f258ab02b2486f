package io.millrace.dataplane.snapshot;

import io.millrace.dataplane.records.ByteArrayOutput;
import java.io.IOException;
import java.util.zip.CRC32C;

/** Writes header, batches and footer of a piece. Belongs to one I/O thread. */
final class PieceWriter {
  private final PieceOutput out;
  private final ByteArrayOutput head = new ByteArrayOutput();
  private long offset;

  PieceWriter(PieceOutput out, int type) throws IOException {
    this.out = out;
    head.putInt(PieceFormat.MAGIC);
    head.putByte(PieceFormat.VERSION);
    head.putByte(type);
    write(head);
  }

  /** The number of bytes so far. */
  long offset() {
    return offset;
  }

  void batch(ByteArrayOutput bytes) throws IOException {
    head.clear();
    head.putInt(bytes.size());
    head.putInt(checksum(bytes.array(), 0, bytes.size()));
    write(head);
    write(bytes);
  }

  void footer(ByteArrayOutput footer) throws IOException {
    write(footer);
    head.clear();
    head.putInt(footer.size());
    head.putInt(checksum(footer.array(), 0, footer.size()));
    head.putInt(PieceFormat.MAGIC);
    write(head);
  }

  private void write(ByteArrayOutput bytes) throws IOException {
    out.write(bytes.array(), 0, bytes.size());
    offset += bytes.size();
  }

  static int checksum(byte[] bytes, int from, int length) {
    CRC32C sum = new CRC32C();
    sum.update(bytes, from, length);
    return (int) sum.getValue();
  }
}
