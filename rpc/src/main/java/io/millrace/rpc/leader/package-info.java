/**
 * Leader election and retrieval. Components contend through {@link
 * io.millrace.rpc.leader.LeaderElection} and are found only through {@link
 * io.millrace.rpc.leader.LeaderRetrieval}; no component gets an address from elsewhere.
 *
 * <p>Two implementations are here because each process needs one of them: {@link
 * io.millrace.rpc.leader.EmbeddedLeaderElection}, for all components of one process, and {@link
 * io.millrace.rpc.leader.DirectoryLeaderRetrieval}, which asks the {@link
 * io.millrace.rpc.leader.LeaderDirectory} of a JobManager. Only the address of that JobManager is
 * fixed or looked up. Tokens are drawn at each start of a JobManager, so that messages to an
 * earlier incarnation are fenced off.
 */
package io.millrace.rpc.leader;
