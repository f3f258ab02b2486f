package io.millrace.rpc;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import java.util.Objects;

/** The failure of a call. */
public record RpcError(Code code, Failure failure) {

  /** The class of failure, for callers that react to it. */
  public enum Code {
    /** The call carries another leader token than the endpoint has. */
    FENCED,
    /** The process has no such endpoint, or the endpoint is not running. */
    NO_ENDPOINT,
    /** No answer arrived within the time-out. */
    TIMEOUT,
    /** The process cannot be reached, or the connection broke before the answer arrived. */
    CONNECTION,
    /** The endpoint executed the call and failed. */
    FAILED
  }

  public RpcError {
    Objects.requireNonNull(code);
    Objects.requireNonNull(failure);
  }

  static RpcError of(Code code, String message) {
    return new RpcError(code, Failure.of(ErrorKind.EXTERNAL, message));
  }
}
