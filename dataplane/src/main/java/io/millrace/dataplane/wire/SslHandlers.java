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

/** Creates the TLS handlers of connections. */
final class SslHandlers {
  private final SslContext caller;
  private final SslContext called;

  SslHandlers(InternalTls tls) {
    SSLContext context = tls.context();
    caller = configured(context, tls, true, ClientAuth.NONE);
    called = configured(context, tls, false, ClientAuth.REQUIRE);
  }

  /** Without Netty's builder, whose checks of the JVM slow down the start of a process. */
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
