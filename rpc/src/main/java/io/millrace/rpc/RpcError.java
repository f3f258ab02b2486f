package io.millrace.rpc;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import java.util.Objects;

/** Why a call was not answered as hoped. */
public record RpcError(Code code, Failure failure) {

  /** What kind of trouble, for those who decide by it. */
  public enum Code {
    /** The call carried another leader token than the endpoint has. */
    FENCED,
    /** There is no such endpoint, or it does not serve: not yet, or no more. */
    NO_ENDPOINT,
    /** No answer came in time. */
    TIMEOUT,
    /** The process cannot be reached, or the connection broke before the answer. */
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
