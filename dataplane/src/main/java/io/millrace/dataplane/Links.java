package io.millrace.dataplane;

import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The links of a deployment, made when the first record goes there. */
final class Links {
  private final Deployed deployed;
  private final DataPlane plane;
  private final List<String> hosts;
  private final AtomicReferenceArray<Link> links;
  private boolean closed;

  Links(Deployed deployed, DataPlane plane) {
    this.deployed = deployed;
    this.plane = plane;
    this.hosts = deployed.deployment().placement().hosts();
    this.links = new AtomicReferenceArray<>(hosts.size());
  }

  Link to(int host) {
    Link link = links.get(host);
    return link == null ? open(host) : link;
  }

  private synchronized Link open(int host) {
    Link link = links.get(host);
    if (link == null) {
      if (closed) {
        throw new Stopped();
      }
      link = new Link(deployed, host);
      link.start(plane, hosts.get(host));
      links.set(host, link);
    }
    return link;
  }

  synchronized void close() {
    closed = true;
    for (int i = 0; i < links.length(); i++) {
      Link link = links.get(i);
      if (link != null) {
        link.close();
      }
    }
  }
}
