package io.millrace.ha.zookeeper;

/** Who may read and change the nodes of a cluster. */
public enum ZooKeeperAcl {
  /** Everybody. */
  OPEN,
  /** The user as whom the processes of the cluster are authenticated. */
  CREATOR
}
