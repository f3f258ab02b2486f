/**
 * Election and fenced storage over the nodes of ZooKeeper, without ZooKeeper: all decisions, none
 * of the connections. {@link io.millrace.ha.zookeeper.nodes.NodeCoordinator} is the entry. {@link
 * io.millrace.ha.zookeeper.nodes.NodeSession} and {@link
 * io.millrace.ha.zookeeper.nodes.PeerConnections} are the seams at which the simulator takes the
 * place of servers and network.
 */
package io.millrace.ha.zookeeper.nodes;
