package io.millrace.rpc.grpc;

import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Envelope;
import java.util.List;
import java.util.Optional;

/** The messages of these tests. */
final class TestMessages {
  record Ping(int sender, int number) {}

  record Pong(int number) {}

  record Load(Bytes content) {}

  record Beat(int number) {}

  /** Not in the class table. */
  record Stranger() {}

  static final RecordCodec CODEC =
      RecordCodec.of(
          List.of(
              Envelope.Call.class,
              Envelope.Reply.class,
              Envelope.Failed.class,
              Acknowledge.class,
              Ping.class,
              Pong.class,
              Load.class,
              Beat.class));

  private TestMessages() {}

  static Envelope.Call call(long correlation, Record message) {
    return new Envelope.Call("endpoint", Optional.empty(), correlation, 1000, 0, message);
  }
}
