/**
 * A real ensemble of ZooKeeper servers, each a process, behind proxies that can cut off one of
 * their clients. {@link io.millrace.soak.zookeeper.ZooKeeperEnsemble} is the entry.
 */
package io.millrace.soak.zookeeper;
