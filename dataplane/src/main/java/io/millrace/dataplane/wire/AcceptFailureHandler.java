package io.millrace.dataplane.wire;

import io.millrace.core.error.Failure;
import io.millrace.core.log.LogThrottle;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs connections that the data port could not accept, for example for lack of file descriptors.
 * Netty accepts again after a second.
 */
final class AcceptFailureHandler extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(AcceptFailureHandler.class);
  private final LogThrottle throttle = new LogThrottle();

  /** Logs once in advance: without file descriptors no class can be loaded for it later. */
  AcceptFailureHandler() {
    report(new IOException("none so far"), line -> LOG.debug("{}", line));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    report(cause, line -> LOG.warn("{}", line));
  }

  private void report(Throwable cause, Consumer<String> log) {
    throttle.log(
        "",
        more ->
            log.accept(
                "The data port could not accept a connection and tries again: "
                    + Failure.sentence(cause)
                    + more));
  }
}
