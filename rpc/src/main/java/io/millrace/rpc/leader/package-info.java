/**
 * Who leads, and how others find out. Components contend through {@link
 * io.millrace.rpc.leader.LeaderElection} and are found only through {@link
 * io.millrace.rpc.leader.LeaderRetrieval}; nobody is handed an address.
 *
 * <p>Two implementations stand here because every process needs one of them: {@link
 * io.millrace.rpc.leader.LocalLeadership}, for all components of one process, and {@link
 * io.millrace.rpc.leader.DirectoryRetrieval}, which asks the {@link
 * io.millrace.rpc.leader.LeaderDirectory} of a JobManager. Only the address of that one is fixed,
 * or looked up: tokens are drawn anew at each start of a JobManager and learned from it, so that
 * what was said to an earlier incarnation is fenced off.
 */
package io.millrace.rpc.leader;
