package io.millrace.sim.sabotage;

import io.millrace.rpc.Envelope;
import io.millrace.rpc.Transport;
import java.util.function.Consumer;

/**
 * Delegates to another transport: between the network, where messages are as they were sent, and
 * the endpoints of its process.
 */
class DelegatingTransport implements Transport {
  private final Transport real;

  DelegatingTransport(Transport real) {
    this.real = real;
  }

  @Override
  public final String address() {
    return real.address();
  }

  @Override
  public final void start(Inbound inbound) {
    real.start(
        new Inbound() {
          @Override
          public void called(String peer, Envelope.Call call, Consumer<Envelope> reply) {
            DelegatingTransport.this.called(inbound, peer, call, reply);
          }

          @Override
          public void answered(String peer, Envelope answer) {
            DelegatingTransport.this.answered(inbound, peer, answer);
          }

          @Override
          public void undeliverable(String peer, Envelope.Call call, String reason) {
            inbound.undeliverable(peer, call, reason);
          }

          @Override
          public void lost(String peer, String reason) {
            inbound.lost(peer, reason);
          }
        });
  }

  @Override
  public void send(String peer, Envelope.Call call) {
    real.send(peer, call);
  }

  @Override
  public final void close() {
    real.close();
  }

  /** A call has arrived for an endpoint. */
  void called(Inbound inbound, String peer, Envelope.Call call, Consumer<Envelope> reply) {
    inbound.called(peer, call, reply);
  }

  /** An answer has arrived for an endpoint. */
  void answered(Inbound inbound, String peer, Envelope answer) {
    inbound.answered(peer, answer);
  }
}
