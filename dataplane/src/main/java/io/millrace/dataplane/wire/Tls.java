package io.millrace.dataplane.wire;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.tls.InternalTls;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import javax.net.ssl.SSLException;

/** Makes what encrypts a connection, on either side of it. */
final class Tls {
  private final SslContext caller;
  private final SslContext called;

  Tls(InternalTls tls) {
    try {
      caller = configured(SslContextBuilder.forClient().keyManager(tls.key()), tls).build();
      called =
          configured(SslContextBuilder.forServer(tls.key()), tls)
              .clientAuth(ClientAuth.REQUIRE)
              .build();
    } catch (SSLException e) {
      throw new MillraceException(
          ErrorKind.USER, "TLS cannot be set up for the data port: " + e.getMessage(), e);
    }
  }

  private static SslContextBuilder configured(SslContextBuilder builder, InternalTls tls) {
    return builder
        .sslProvider(SslProvider.JDK)
        .trustManager(tls.trust())
        .protocols(tls.protocol())
        .ciphers(tls.ciphers().isEmpty() ? null : tls.ciphers());
  }

  ChannelHandler caller() {
    return caller.newHandler(ByteBufAllocator.DEFAULT);
  }

  ChannelHandler called() {
    return called.newHandler(ByteBufAllocator.DEFAULT);
  }
}
