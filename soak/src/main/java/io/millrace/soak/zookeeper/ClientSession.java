package io.millrace.soak.zookeeper;

import java.nio.ByteBuffer;
import java.util.Optional;

/** The session of a client, as the server tells it in the first frame of a connection. */
record ClientSession(long id, byte[] password) {
  /** The longest first frame of a server. */
  static final int MAX_FRAME = 1_024;

  /**
   * Reads protocol version, time-out, session id and password.
   *
   * @return nothing if the frame has another form, or if the server refuses the session
   */
  static Optional<ClientSession> parse(byte[] frame) {
    ByteBuffer in = ByteBuffer.wrap(frame);
    if (in.remaining() < Integer.BYTES + Integer.BYTES + Long.BYTES + Integer.BYTES) {
      return Optional.empty();
    }
    in.getInt();
    in.getInt();
    long id = in.getLong();
    int length = in.getInt();
    if (id == 0 || length < 0 || length > in.remaining()) {
      return Optional.empty();
    }
    byte[] password = new byte[length];
    in.get(password);
    return Optional.of(new ClientSession(id, password));
  }
}
