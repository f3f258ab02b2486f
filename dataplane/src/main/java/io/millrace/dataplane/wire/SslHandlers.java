package io.millrace.dataplane.wire;

import io.millrace.core.tls.InternalTls;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import javax.net.ssl.SSLContext;

/** Makes what encrypts a connection, on either side of it. */
final class SslHandlers {
  private final SslContext caller;
  private final SslContext called;

  SslHandlers(InternalTls tls) {
    SSLContext context = tls.context();
    caller = configured(context, tls, true, ClientAuth.NONE);
    called = configured(context, tls, false, ClientAuth.REQUIRE);
  }

  /** Without Netty's builder, which spends much of a process's start on trying the JVM out. */
  private static SslContext configured(
      SSLContext context, InternalTls tls, boolean caller, ClientAuth auth) {
    return new JdkSslContext(
        context,
        caller,
        tls.ciphers().isEmpty() ? null : tls.ciphers(),
        IdentityCipherSuiteFilter.INSTANCE,
        ApplicationProtocolConfig.DISABLED,
        auth,
        new String[] {tls.protocol()},
        false);
  }

  ChannelHandler caller() {
    return caller.newHandler(ByteBufAllocator.DEFAULT);
  }

  ChannelHandler called() {
    return called.newHandler(ByteBufAllocator.DEFAULT);
  }
}
