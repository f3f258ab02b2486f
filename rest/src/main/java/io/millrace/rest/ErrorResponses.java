package io.millrace.rest;

import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.rpc.RpcException;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Maps failures to status codes and messages. */
final class ErrorResponses {
  private static final Logger LOG = LoggerFactory.getLogger(ErrorResponses.class);

  private ErrorResponses() {}

  static RestResponse reply(String request, Throwable thrown) {
    Throwable cause = Failure.unwrap(thrown);
    if (cause instanceof RestError known) {
      return RestResponse.error(known.status(), known.getMessage());
    }
    if (cause instanceof RpcException call) {
      return ofCall(request, call);
    }
    if (cause instanceof MillraceException known) {
      return ofKind(request, known);
    }
    LOG.error("{} failed", request, cause);
    if (cause instanceof VirtualMachineError && !(cause instanceof StackOverflowError)) {
      // An exhausted heap affects the whole process, so the handler of the process decides.
      Optional.ofNullable(Thread.getDefaultUncaughtExceptionHandler())
          .ifPresent(policy -> policy.uncaughtException(Thread.currentThread(), cause));
    }
    return RestResponse.error(
        500,
        "The JobManager failed to answer this request"
            + storageError(cause)
                .map(reason -> ", because its storage failed: " + reason)
                .orElse("; its log has the reason."));
  }

  /** The message of an IOException, for example of a full disk, which the client can act on. */
  private static Optional<String> storageError(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof IOException && cause.getMessage() != null) {
        return Optional.of(cause.getMessage());
      }
    }
    return Optional.empty();
  }

  private static RestResponse ofCall(String request, RpcException call) {
    return switch (call.code()) {
      case FENCED, NO_ENDPOINT, CONNECTION -> {
        LOG.info("{} found no leader: {}", request, call.getMessage());
        yield RestResponse.error(
            503, "The JobManager is changing its leader. Try again in a few seconds.");
      }
      case TIMEOUT -> RestResponse.error(504, call.getMessage());
      case FAILED -> ofKind(request, call);
    };
  }

  private static RestResponse ofKind(String request, MillraceException thrown) {
    return switch (thrown.kind()) {
      case USER -> RestResponse.error(400, thrown.getMessage());
      case RESOURCE -> RestResponse.error(503, thrown.getMessage());
      case EXTERNAL, BUG -> {
        LOG.warn("{} failed", request, thrown);
        yield RestResponse.error(500, thrown.getMessage());
      }
    };
  }
}
