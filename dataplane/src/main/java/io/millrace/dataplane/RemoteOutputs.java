package io.millrace.dataplane;

import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The links of a deployment, made when the first record goes there. */
final class RemoteOutputs {
  private final RunningDeployment deployment;
  private final DataPlane plane;
  private final List<String> hosts;
  private final AtomicReferenceArray<RemoteOutput> outputs;
  private boolean closed;

  RemoteOutputs(RunningDeployment deployment, DataPlane plane) {
    this.deployment = deployment;
    this.plane = plane;
    this.hosts = deployment.descriptor().placement().hosts();
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
      output = new RemoteOutput(deployment, host);
      output.start(plane, hosts.get(host));
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
