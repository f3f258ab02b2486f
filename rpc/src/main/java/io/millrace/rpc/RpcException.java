package io.millrace.rpc;

import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;

/** A call failed. */
public final class RpcException extends MillraceException {
  private static final long serialVersionUID = 1L;

  private final RpcError.Code code;
  private final transient Failure failure;

  RpcException(RpcError error) {
    super(error.failure().kind(), error.failure().message());
    this.code = error.code();
    this.failure = error.failure();
  }

  public RpcError.Code code() {
    return code;
  }

  public Failure failure() {
    return failure;
  }

  /**
   * Whether the throwable is a failed call with the given code, also inside the wrappers of
   * futures.
   */
  public static boolean is(Throwable thrown, RpcError.Code code) {
    return Failure.unwrap(thrown) instanceof RpcException known && known.code() == code;
  }
}
