package io.millrace.dataplane.snapshot;

import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.records.RecordBatchCodec;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/** Writes the elements of an operator state as one piece. */
final class ListPiece {
  private ListPiece() {}

  static void write(
      List<?> elements, RecordBatchCodec codec, Runnable checkCancelled, PieceOutput output)
      throws IOException {
    PieceWriter out = new PieceWriter(output, PieceFormat.LIST);
    ByteArrayOutput batch = new ByteArrayOutput();
    Object[] all = elements.toArray();
    int batches = 0;
    for (int from = 0; from < all.length; from += PieceFormat.MAX_ENTRIES) {
      checkCancelled.run();
      batch.clear();
      codec.encode(all, from, Math.min(all.length, from + PieceFormat.MAX_ENTRIES), batch);
      out.batch(batch);
      batches++;
    }
    ByteArrayOutput footer = new ByteArrayOutput();
    footer.putVarInt(all.length);
    footer.putVarInt(batches);
    SchemaSection.of(Set.of(), codec).write(footer);
    out.footer(footer);
  }

  /** The footer of a piece. */
  record Footer(int elements, int batches, SchemaSection schemas) {
    static Footer read(int version, ByteArrayInput in) {
      return new Footer(in.readVarInt(), in.readVarInt(), SchemaSection.read(in));
    }
  }
}
