/**
 * The journal of decisions of the control plane: what was decided, when, for which job or worker
 * and because of which event. {@link io.millrace.rpc.journal.Journal} keeps a bounded number of
 * events per job and for the cluster and counts those it drops. Events hold readable sentences, no
 * stack traces and no object dumps, because users read them and simulations compare them.
 */
package io.millrace.rpc.journal;
