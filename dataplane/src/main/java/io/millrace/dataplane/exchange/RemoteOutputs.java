package io.millrace.dataplane.exchange;

import io.millrace.dataplane.operator.TaskStoppedError;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The outputs of a deployment to other hosts. Each is opened with its first record. */
final class RemoteOutputs {
  private final DeploymentExchange exchange;
  private final List<String> hosts;
  private final AtomicReferenceArray<RemoteOutput> outputs;
  private boolean closed;

  RemoteOutputs(DeploymentExchange exchange) {
    this.exchange = exchange;
    this.hosts = exchange.deployment().descriptor().placement().hosts();
    this.outputs = new AtomicReferenceArray<>(hosts.size());
  }

  RemoteOutput to(int host) {
    RemoteOutput output = outputs.get(host);
    return output == null ? open(host) : output;
  }

  private synchronized RemoteOutput open(int host) {
    RemoteOutput output = outputs.get(host);
    if (output == null) {
      if (closed) {
        throw new TaskStoppedError();
      }
      output = new RemoteOutput(exchange, host);
      output.start(hosts.get(host));
      outputs.set(host, output);
    }
    return output;
  }

  synchronized void close() {
    closed = true;
    for (int i = 0; i < outputs.length(); i++) {
      RemoteOutput output = outputs.get(i);
      if (output != null) {
        output.close();
      }
    }
  }
}
