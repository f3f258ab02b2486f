package io.millrace.rpc.grpc;

import io.millrace.rpc.Transport;
import io.millrace.rpc.inprocess.InProcessNetwork;

/** Here, because this is the room where both transports are at hand. */
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
