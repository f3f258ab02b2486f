package io.millrace.dataplane.snapshot;

import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.ByteArrayOutput;
import java.util.ArrayList;
import java.util.List;

/** The layout of a piece with elements of channels. */
final class InFlightPiece {
  /** The kinds of batches. */
  static final int RECORDS = 1;

  static final int WATERMARK = 2;

  private InFlightPiece() {}

  /**
   * The batches of one channel, which are adjacent.
   *
   * @param peer the subtask at the other end of the channel
   */
  record Channel(int peer, long offset, int batches) {}

  /** The footer of a piece. */
  record Footer(List<Channel> channels, SchemaSection schemas) {
    void write(ByteArrayOutput out) {
      out.putVarInt(channels.size());
      for (Channel channel : channels) {
        out.putVarInt(channel.peer());
        out.putVarLong(channel.offset());
        out.putVarInt(channel.batches());
      }
      schemas.write(out);
    }

    static Footer read(int version, ByteArrayInput in) {
      List<Channel> channels = new ArrayList<>();
      for (int left = PieceText.count(in); left > 0; left--) {
        channels.add(new Channel(in.readVarInt(), in.readVarLong(), in.readVarInt()));
      }
      return new Footer(channels, SchemaSection.read(in));
    }
  }
}
