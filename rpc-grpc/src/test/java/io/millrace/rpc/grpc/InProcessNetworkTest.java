package io.millrace.rpc.grpc;

import io.millrace.rpc.Transport;
import io.millrace.rpc.inprocess.InProcessNetwork;

/** In this module because it shares the contract with the gRPC transport. */
final class InProcessNetworkTest extends TransportContract {
  private final InProcessNetwork network = new InProcessNetwork();
  private int joined;

  @Override
  Transport join() {
    return network.join("process-" + ++joined);
  }

  @Override
  Transport rejoin(String address) {
    return network.join(address);
  }
}
