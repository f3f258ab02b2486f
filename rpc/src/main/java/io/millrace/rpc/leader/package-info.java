/**
 * Leader election and retrieval. Components contend through {@link
 * io.millrace.rpc.leader.LeaderElection} and are found only through {@link
 * io.millrace.rpc.leader.LeaderRetrieval}.
 *
 * <p>Two implementations are here because every process needs one of them: {@link
 * io.millrace.rpc.leader.EmbeddedLeaderElection}, for all components of one process, and {@link
 * io.millrace.rpc.leader.DirectoryLeaderRetrieval}, which asks the {@link
 * io.millrace.rpc.leader.LeaderDirectory} of a JobManager. Only the address of that JobManager is
 * fixed or looked up. Its tokens are new at each start, so that calls to an earlier incarnation are
 * fenced off.
 */
package io.millrace.rpc.leader;
