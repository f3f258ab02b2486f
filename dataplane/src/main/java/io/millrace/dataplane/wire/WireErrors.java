package io.millrace.dataplane.wire;

import io.millrace.core.error.Failure;
import io.millrace.core.tls.InternalTls;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import javax.net.ssl.SSLException;

/** Renders the errors of connections as sentences for people. */
final class WireErrors {
  private WireErrors() {}

  static String sentence(Throwable thrown) {
    Throwable cause = thrown;
    while (cause instanceof DecoderException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof NotSslRecordException) {
      return "it does not speak TLS, this process does; " + InternalTls.DIFFERS;
    }
    if (cause instanceof SSLException && cause.getMessage() != null) {
      return "TLS: " + cause.getMessage();
    }
    if (cause instanceof IndexOutOfBoundsException) {
      return "it sent a frame that is too short";
    }
    // These messages are complete without the name of the exception.
    return isOurs(cause) ? cause.getMessage() : Failure.sentence(cause);
  }

  /** Whether the peer closed the socket, as opposed to an invalid frame. */
  static boolean isReset(Throwable thrown) {
    return thrown instanceof IOException && !(thrown instanceof SSLException);
  }

  private static boolean isOurs(Throwable cause) {
    return cause.getMessage() != null
        && (cause instanceof IllegalStateException
            || cause instanceof DecoderException
            || cause instanceof IOException
            || cause instanceof IdlePeerHandler.IdlePeerException);
  }
}
