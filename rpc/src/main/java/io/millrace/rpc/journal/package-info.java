/**
 * The journal of decisions of the control plane: what was decided, when, for which job or worker
 * and because of which event. {@link io.millrace.rpc.journal.Journal} keeps a bounded number of
 * entries per job and for the cluster and counts those it drops. An entry is an envelope around an
 * event, which is a value: it holds no sentence, no stack trace and no object dump. The modules
 * above declare the events.
 */
package io.millrace.rpc.journal;
