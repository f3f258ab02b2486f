/**
 * Explains a job from its state and the journal: why it is in this state and how it got there.
 * {@link io.millrace.rest.explain.JobSnapshot} is the entry. Pure functions over values: no calls
 * to other components and no clock.
 */
package io.millrace.rest.explain;
